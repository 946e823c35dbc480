//! The operations of the service as methods of the classes. Those that are read as they are come from the table of operations; all
//! others are in a file per group.

use pyo3::prelude::*;

use crate::client::{self, SystemReference};
use crate::model::{DesignId, DiagramId, SystemId, TeamId, Username};
use crate::python::api::client::{AsyncClient, Client};
use crate::python::api::features::FeatureCollection;
use crate::python::api::project::{AsyncProject, Project};
use crate::python::convert::to_python::Json;
use crate::python::engine::operations::operations;

mod archive;
mod costs;
mod diagrams;
mod drawings;
mod maps;
mod projects;

macro_rules! methods {
    ($($class:ident $rows:tt)*) => { $(methods_of! { $class $rows })* };
}

macro_rules! methods_of {
    (Client $rows:tt) => { methods_of! { Client / AsyncClient of client::Client: $rows } };
    (Project $rows:tt) => { methods_of! { Project / AsyncProject of client::Project: $rows } };
    ($blocking:ident / $awaitable:ident of $handle:ty: {$(
        $name:ident: $method:ident $path:literal ($ids:ident $(, $archived:ident)?) $summary:literal $(;)? $({
            $($more:literal)? $(#$returns:tt)*
            $read:ident $operation:ident($($id:ident: $type:ty),*) -> $returned:ty $(= $part:expr)?;
            $(#$examples:tt)*
        })?
    )*}) => {
        operations! { $blocking / $awaitable of $handle: $($(
            #[doc = $summary]
            ///
            $(
                #[doc = $more]
                ///
            )?
            #[doc = concat!(arguments!($ids), "Returns:")]
            $(#$returns)*
            ///
            #[doc = concat!(errors!($ids), "Examples:")]
            $(#$examples)*
            fn $operation($($id: <$type as PathArgument>::Given),*) -> _ = |handle| {
                Ok(converted!($read handle.$operation($(<$type as PathArgument>::find($id, &handle).await?),*).await?))
            };
        )?)* }
    };
}

/// The documentation of the arguments of an operation with these ids.
macro_rules! arguments {
    (NoIds) => {
        ""
    };
    (InProject) => {
        ""
    };
    (InSystem) => {
        "Args:\n    system: The system's id, name or tag.\n\n"
    };
    (InDiagram) => {
        "Args:\n    id: The diagram's id.\n\n"
    };
    (OfMember) => {
        "Args:\n    username: A member of the project.\n\n"
    };
    (InTeam) => {
        "Args:\n    team: The team's id.\n\n"
    };
    (InDesign) => {
        "Args:\n    team: The team's id.\n    design: The design's id.\n\n"
    };
    (InDesignSystem) => {
        "Args:\n    team: The team's id.\n    design: The design's id.\n    system: The system's id, name or tag.\n\n"
    };
}

/// The documentation of the errors that these ids can lead to.
macro_rules! errors {
    (NoIds) => {
        ""
    };
    (InProject) => {
        ""
    };
    (InSystem) => {
        concat!(
            "Raises:\n    InputError: The project has no system of that name; it lists the systems.\n",
            "    NotFoundError: The project has no system with that id.\n\n"
        )
    };
    (InDiagram) => {
        "Raises:\n    NotFoundError: The project has no such diagram.\n\n"
    };
    (OfMember) => {
        "Raises:\n    PermissionDeniedError: The user is not a member of the project.\n\n"
    };
    (InTeam) => {
        "Raises:\n    NotFoundError: The project has no such team.\n\n"
    };
    (InDesign) => {
        "Raises:\n    NotFoundError: There is no such team or design.\n\n"
    };
    (InDesignSystem) => {
        concat!(
            "Raises:\n    InputError: No system has that name or tag; it lists the systems.\n",
            "    NotFoundError: There is no such team, design or system.\n\n"
        )
    };
}

/// What a method returns in Python, by how its operation is read.
macro_rules! converted {
    (features $features:expr) => {
        FeatureCollection::from($features)
    };
    ($json:ident $value:expr) => {
        Json($value)
    };
}

operations_table! { methods }

/// An id in the path of an operation, as an argument in Python.
trait PathArgument: Sized {
    type Given;

    fn find(given: Self::Given, project: &client::Project) -> impl Future<Output = client::Result<Self>> + Send;
}

impl PathArgument for SystemId {
    type Given = SystemReference;

    async fn find(given: SystemReference, project: &client::Project) -> client::Result<Self> {
        project.find_system(&given).await
    }
}

macro_rules! given_as_they_are {
    ($($id:ident)*) => {$(
        impl PathArgument for $id {
            type Given = Self;

            async fn find(given: Self, _project: &client::Project) -> client::Result<Self> {
                Ok(given)
            }
        }
    )*};
}

given_as_they_are! { DesignId DiagramId TeamId Username }
