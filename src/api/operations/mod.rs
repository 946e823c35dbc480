//! The operations of the service as methods of the classes. Operations that are read without conversion come from the table of
//! operations; all others are in a file per group.

use pyo3::prelude::*;

use crate::api::client::{AsyncClient, Client};
use crate::api::features::FeatureCollection;
use crate::api::project::{AsyncProject, Project};
use crate::api::project_parts::{
    AsyncDesign, AsyncDiagram, AsyncMember, AsyncStudyArea, AsyncSystem, AsyncTeam, AsyncWorkshop, Design, Diagram,
    Member, StudyArea, System, Team, Workshop,
};
use crate::convert::results::{Listed, Nothing};
use crate::convert::to_python::Json;
use crate::engine::operations::operations;
use geodesign::model::{EntryId, LayerId, SecretId, Username, Uuid};
use geodesign_client as client;
use geodesign_client::{DesignHandle, DiagramHandle, MemberHandle, SystemHandle, TeamHandle};

mod archive;
mod comments;
mod costs;
mod diagrams;
pub mod drawings;
mod people;
mod presence;
mod projects;

macro_rules! methods {
    ($($class:ident $rows:tt)*) => { $(methods_of! { $class $rows })* };
}

macro_rules! methods_of {
    (Client {$(
        $name:ident: $method:ident $path:literal ($ids:ident $(, $mark:ident)*) $summary:literal $row:tt
    )*}) => { $(row! { Client / AsyncClient of client::Client, $ids $summary $row })* };
    (Project {$(
        $name:ident: $method:ident $path:literal ($ids:ident $(, $mark:ident)*) $summary:literal $row:tt
    )*}) => { $(row! { Project / AsyncProject of client::Project, $ids $summary $row })* };
}

/// The methods of a row: of the handle that its ids belong to (`as`), of a side of the project (`in`), or of the class of the table.
/// Operations with ids of several kinds are written by hand.
macro_rules! row {
    ($blocking:ident / $awaitable:ident of $handle:ty, $ids:ident $summary:literal ;) => {};
    ($blocking:ident / $awaitable:ident of $handle:ty, InDesign $summary:literal {
        $($more:literal)? $(#$returns:tt)* features $($rest:tt)*
    }) => {};
    ($blocking:ident / $awaitable:ident of $handle:ty, InDesignSystem $summary:literal $row:tt) => {};
    ($blocking:ident / $awaitable:ident of $handle:ty, $ids:ident $summary:literal {
        $($more:literal)? $(#$returns:tt)*
        $how:ident $operation:ident as $short:ident($($id:ident: $type:ty),* $(; $body:ident: $sent:ty, $about:literal)?)
            $(-> $returned:ty $(= $part:expr)?)?;
        $($raised:literal)* $(#$examples:tt)*
    }) => {
        of_handle! { $ids
            #[doc = $summary]
            ///
            $(
                #[doc = $more]
                ///
            )?
            #[doc = arguments!($how InProject $($body $about)?)]
            $(#$returns)*
            ///
            #[doc = concat!("Raises:\n", errors_of_handle!($ids), $("    ", $raised, "\n",)* "\nExamples:")]
            $(#$examples)*
            fn $short($($body: <$sent as ToOwned>::Owned)?) -> _ = |handle| {
                Ok(converted!($how handle.$short($(&$body)?).await?))
            };
        }
    };
    ($blocking:ident / $awaitable:ident of $handle:ty, $ids:ident $summary:literal {
        $($more:literal)? $(#$returns:tt)*
        $how:ident $operation:ident in $side:ident($($id:ident: $type:ty),* $(; $body:ident: $sent:ty, $about:literal)?)
            $(-> $returned:ty $(= $part:expr)?)?;
        $($end:tt)*
    }) => {
        in_side! { $side, $ids $summary {
            $($more)? $(#$returns)*
            $how $operation($($id: $type),* $(; $body: $sent, $about)?) $(-> $returned)?;
            $($end)*
        } }
    };
    ($blocking:ident / $awaitable:ident of $handle:ty, $ids:ident $summary:literal {
        $($more:literal)? $(#$returns:tt)*
        $how:ident $operation:ident($($id:ident: $type:ty),* $(; $body:ident: $sent:ty, $about:literal)?)
            $(-> $returned:ty $(= $part:expr)?)?;
        $($raised:literal)* $(#$examples:tt)*
    }) => {
        operations! { $blocking / $awaitable of $handle:
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
            fn $operation($($id: $type,)* $($body: <$sent as ToOwned>::Owned)?) -> _ = |handle| {
                Ok(converted!($how handle.$operation($($id,)* $(&$body)?).await?))
            };
        }
    };
}

macro_rules! of_handle {
    (InDiagram $($method:tt)*) => { operations! { Diagram / AsyncDiagram of DiagramHandle: $($method)* } };
    (OfMember $($method:tt)*) => { operations! { Member / AsyncMember of MemberHandle: $($method)* } };
    (InTeam $($method:tt)*) => { operations! { Team / AsyncTeam of TeamHandle: $($method)* } };
    (InDesign $($method:tt)*) => { operations! { Design / AsyncDesign of DesignHandle: $($method)* } };
    (InSystem $($method:tt)*) => { operations! { System / AsyncSystem of SystemHandle: $($method)* } };
}

macro_rules! in_side {
    (workshop, $($row:tt)*) => { row! { Workshop / AsyncWorkshop of client::Project, $($row)* } };
    (study_area, $($row:tt)*) => { row! { StudyArea / AsyncStudyArea of client::Project, $($row)* } };
}

/// The documentation of the arguments of an operation: the ids, and the data that it sends. Any return value follows.
macro_rules! arguments {
    (delete InProject) => {
        ""
    };
    (delete $ids:ident) => {
        concat!("Args:\n", about_ids!($ids))
    };
    (send $ids:ident) => {
        concat!("Args:\n", about_ids!($ids))
    };
    (post InProject $body:ident $about:literal) => {
        concat!("Args:\n    ", stringify!($body), ": ", $about)
    };
    ($how:ident NoIds) => {
        "Returns:"
    };
    ($how:ident InProject) => {
        "Returns:"
    };
    ($how:ident $ids:ident) => {
        concat!("Args:\n", about_ids!($ids), "\n\nReturns:")
    };
}

macro_rules! about_ids {
    (InLayer) => {
        "    id: The layer's id."
    };
    (InHistory) => {
        "    entry: The `id` of an entry of `history()` that `can_be_undone`."
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
        "    name: The `username` of a waiting walk-in."
    };
    (OfMember) => {
        "    username: A current or former member of the project."
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
    (InLayer) => {
        "    NotFoundError: The project has no such layer.\n"
    };
    (InHistory) => {
        "    NotFoundError: The history has no such entry.\n"
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
        "    NotFoundError: No walk-in of that name is waiting.\n"
    };
    (OfMember) => {
        "    PermissionDeniedError: No current or former member of the project has that name.\n"
    };
}

/// The documentation of the errors that a handle's requests can lead to.
macro_rules! errors_of_handle {
    (InSystem) => {
        concat!(
            "    InputError: The project has no system of that name, or several; it lists them.\n",
            "    NotFoundError: The project has no system of that id.\n"
        )
    };
    (InDiagram) => {
        concat!(
            "    InputError: The project has no diagram of that title, or several; it lists them.\n",
            "    NotFoundError: The project has no diagram of that id.\n"
        )
    };
    (OfMember) => {
        "    PermissionDeniedError: The user is not a member of the project.\n"
    };
    (InTeam) => {
        concat!(
            "    InputError: The project has no team of that title, or several; it lists them.\n",
            "    NotFoundError: The project has no team of that id.\n"
        )
    };
    (InDesign) => {
        concat!(
            "    InputError: There is no such design, or several have that title; it lists them.\n",
            "    NotFoundError: The project has no design of that id.\n"
        )
    };
}

/// The return value of a method in Python, by the way its operation is read.
macro_rules! converted {
    (features $features:expr) => {
        FeatureCollection::from($features)
    };
    (delete $done:expr) => {{
        let () = $done;
        Nothing
    }};
    (post $done:expr) => {{
        let _ = $done;
        Nothing
    }};
    (send $done:expr) => {{
        let _ = $done;
        Nothing
    }};
    (list $items:expr) => {
        Listed(Json($items))
    };
    ($json:ident $value:expr) => {
        Json($value)
    };
}

operations_table! { methods }
