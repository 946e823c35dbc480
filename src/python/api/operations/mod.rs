//! The operations of the service as methods of the classes. Those that are read as they are come from the table of operations; all
//! others are in a file per group.

use pyo3::prelude::*;

use crate::client::{self, SystemReference, TeamReference};
use crate::model::{DesignId, DiagramId, EntryId, LayerId, SecretId, SystemId, TeamId, Username, Uuid};
use crate::python::api::client::{AsyncClient, Client};
use crate::python::api::features::FeatureCollection;
use crate::python::api::project::{AsyncProject, Project};
use crate::python::convert::results::Nothing;
use crate::python::convert::to_python::Json;
use crate::python::engine::operations::operations;

mod archive;
mod costs;
mod diagrams;
mod drawings;
pub mod maps;
mod people;
mod projects;
pub mod room;

macro_rules! methods {
    ($($class:ident $rows:tt)*) => { $(methods_of! { $class $rows })* };
}

macro_rules! methods_of {
    (Client $rows:tt) => { methods_of! { Client / AsyncClient of client::Client: $rows } };
    (Project $rows:tt) => { methods_of! { Project / AsyncProject of client::Project: $rows } };
    ($blocking:ident / $awaitable:ident of $handle:ty: {$(
        $name:ident: $method:ident $path:literal ($ids:ident $(, $mark:ident)*) $summary:literal $(;)? $({
            $($more:literal)? $(#$returns:tt)*
            $how:ident $operation:ident($($id:ident: $type:ty),* $(; $body:ident: $sent:ty, $about:literal)?)
                $(-> $returned:ty $(= $part:expr)?)?;
            $($raised:literal)* $(#$examples:tt)*
        })?
    )*}) => {
        operations! { $blocking / $awaitable of $handle: $($(
            #[doc = $summary]
            ///
            $(
                #[doc = $more]
                ///
            )?
            #[doc = arguments!($how $ids $($body $about)?)]
            $(#$returns)*
            ///
            #[doc = concat!(errors!($ids $($raised)*), "Examples:")]
            $(#$examples)*
            fn $operation(
                $($id: <$type as PathArgument<$handle>>::Given,)* $($body: <$sent as ToOwned>::Owned)?
            ) -> _ = |handle| {
                Ok(converted!($how handle.$operation(
                    $(<$type as PathArgument<$handle>>::find($id, &handle).await?,)* $(&$body)?
                ).await?))
            };
        )?)* }
    };
}

/// The documentation of the arguments of an operation: the ids, and what it sends. What is returned follows, if there is something.
macro_rules! arguments {
    (delete InProject) => { "" };
    (delete $ids:ident) => { concat!("Args:\n", about_ids!($ids)) };
    ($how:ident NoIds) => { "Returns:" };
    ($how:ident InProject) => { "Returns:" };
    ($how:ident InProject $body:ident $about:literal) => {
        concat!("Args:\n    ", stringify!($body), ": ", $about, "\n\nReturns:")
    };
    ($how:ident $ids:ident $($body:ident $about:literal)?) => {
        concat!("Args:\n", about_ids!($ids), $("\n    ", stringify!($body), ": ", $about,)? "\n\nReturns:")
    };
}

macro_rules! about_ids {
    (InSystem) => {
        "    system: The system: the object, its id, name or tag, or the unique start of its name."
    };
    (InDiagram) => {
        "    id: The diagram's id."
    };
    (InLayer) => {
        "    id: The layer's id."
    };
    (InHistory) => {
        "    entry: The `id` of an entry of `history()` that `can_be_undone`."
    };
    (OfMember) => {
        "    username: A member of the project."
    };
    (OfUser) => {
        "    username: A user of the service."
    };
    (OfToken) => {
        "    id: The `id` of one of `tokens()`."
    };
    (OfLink) => {
        "    id: The `id` of one of `links()`."
    };
    (OfWalkIn) => {
        "    name: The `username` of one who waits."
    };
    (InTeam) => {
        "    team: The team: the object, its id, its title or the unique start of one."
    };
    (InDesign) => {
        "    team: The team: the object, its id, its title or the unique start of one.\n    design: The design's id."
    };
    (InDesignSystem) => {
        concat!(about_ids!(InDesign), "\n", about_ids!(InSystem))
    };
}

/// The documentation of the errors that these ids can lead to, and of others.
macro_rules! errors {
    (NoIds) => { "" };
    (InProject) => { "" };
    ($ids:ident $($raised:literal)*) => {
        concat!("Raises:\n", errors_of_ids!($ids), $("    ", $raised, "\n",)* "\n")
    };
}

macro_rules! errors_of_ids {
    (InProject) => {
        ""
    };
    (InSystem) => {
        concat!(
            "    InputError: The project has no system of that name; it lists the systems.\n",
            "    NotFoundError: The project has no system with that id.\n"
        )
    };
    (InDiagram) => {
        "    NotFoundError: The project has no such diagram.\n"
    };
    (InLayer) => {
        "    NotFoundError: The project has no such layer.\n"
    };
    (InHistory) => {
        "    NotFoundError: The history has no such entry.\n"
    };
    (OfMember) => {
        "    PermissionDeniedError: The user is not a member of the project.\n"
    };
    (OfUser) => {
        concat!(
            "    PermissionDeniedError: The caller is not the operator of the service.\n",
            "    NotFoundError: The service has no such user.\n"
        )
    };
    (OfToken) => {
        concat!(
            "    PermissionDeniedError: The user is not the operator of the service.\n",
            "    NotFoundError: There is no such token.\n"
        )
    };
    (OfLink) => {
        "    NotFoundError: The project has no such link.\n"
    };
    (OfWalkIn) => {
        "    NotFoundError: Nobody of that name waits.\n"
    };
    (InTeam) => {
        "    NotFoundError: The project has no such team.\n"
    };
    (InDesign) => {
        "    NotFoundError: There is no such team or design.\n"
    };
    (InDesignSystem) => {
        concat!(
            "    InputError: No system has that name or tag; it lists the systems.\n",
            "    NotFoundError: There is no such team, design or system.\n"
        )
    };
}

/// What a method returns in Python, by how its operation is read.
macro_rules! converted {
    (features $features:expr) => {
        FeatureCollection::from($features)
    };
    (delete $done:expr) => {{
        let () = $done;
        Nothing
    }};
    ($json:ident $value:expr) => {
        Json($value)
    };
}

operations_table! { methods }

/// An id in the path of an operation, as an argument in Python.
trait PathArgument<Handle>: Sized {
    type Given;

    fn find(given: Self::Given, handle: &Handle) -> impl Future<Output = client::Result<Self>> + Send;
}

impl PathArgument<client::Project> for SystemId {
    type Given = SystemReference;

    async fn find(given: SystemReference, project: &client::Project) -> client::Result<Self> {
        project.find_system(&given).await
    }
}

impl PathArgument<client::Project> for TeamId {
    type Given = TeamReference;

    async fn find(given: TeamReference, project: &client::Project) -> client::Result<Self> {
        project.find_team(&given).await
    }
}

macro_rules! given_as_they_are {
    ($($id:ident)*) => {$(
        impl<Handle: Sync> PathArgument<Handle> for $id {
            type Given = Self;

            async fn find(given: Self, _handle: &Handle) -> client::Result<Self> {
                Ok(given)
            }
        }
    )*};
}

given_as_they_are! { DesignId DiagramId EntryId LayerId SecretId Username }
