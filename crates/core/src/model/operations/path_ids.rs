//! The ids in the paths of operations: the client fills them in, and the service reads them.

use std::fmt::{self, Write};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::model::{DesignId, DiagramId, EntryId, LayerId, ProjectId, SecretId, SystemId, TeamId, Uuid};

/// The ids in the path of an operation.
pub trait PathIds: DeserializeOwned + Clone + Send + Sync + 'static {
    /// The names of the ids in the path's braces, in the same order.
    const NAMES: &'static [&'static str];

    /// Writes each id in its place.
    fn write(&self, path: &mut PathWriter);
}

/// The ids in the path of an operation below a project.
pub trait ProjectPathIds: PathIds {
    fn projectid(&self) -> &ProjectId;
}

macro_rules! path_ids {
    ($($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $id:ident: $type:ident),* })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
        #[cfg_attr(feature = "openapi", derive(utoipa::IntoParams))]
        pub struct $name {
            $($(#[$about])* #[cfg_attr(feature = "openapi", param(inline))] pub $id: $type,)*
        }

        impl $name {
            pub fn new($($id: $type),*) -> Self {
                $name { $($id),* }
            }
        }

        impl PathIds for $name {
            const NAMES: &'static [&'static str] = &[$(stringify!($id)),*];

            fn write(&self, path: &mut PathWriter) {
                $(path.write_id(&self.$id);)*
            }
        }
    )*};
}

macro_rules! project_path_ids {
    ($($(#[$doc:meta])* $name:ident $ids:tt)*) => {
        path_ids! { $($(#[$doc])* $name $ids)* }

        $(impl ProjectPathIds for $name {
            fn projectid(&self) -> &ProjectId {
                &self.projectid
            }
        })*
    };
}

path_ids! {
    /// A user of the service.
    OfUser {
        /// A user of the service.
        #[cfg_attr(feature = "openapi", param(min_length = 1, example = "amara.okafor"))]
        username: String
    }
    /// A token.
    OfToken { tokenid: SecretId }
}

project_path_ids! {
    /// A project.
    InProject { projectid: ProjectId }
    /// A system of a project.
    InSystem { projectid: ProjectId, sysid: SystemId }
    /// A diagram of a project.
    InDiagram { projectid: ProjectId, diagramid: DiagramId }
    /// A thumbnail of a diagram.
    InThumbnail { projectid: ProjectId, diagramid: DiagramId, jobid: Uuid }
    /// An external data layer of a project.
    InLayer { projectid: ProjectId, layer_id: LayerId }
    /// An entry in the history of a project.
    InHistory { projectid: ProjectId, entry: EntryId }
    /// A change team of a project.
    InTeam { projectid: ProjectId, cteamid: TeamId }
    /// A design of a change team.
    InDesign { projectid: ProjectId, cteamid: TeamId, synthesisid: DesignId }
    /// A design of a change team, and a system.
    InDesignSystem { projectid: ProjectId, cteamid: TeamId, synthesisid: DesignId, sysid: SystemId }
    /// A negotiation of a project.
    InNegotiation { projectid: ProjectId, #[cfg_attr(feature = "openapi", param(min_length = 1, example = "tuesday"))] session_id: String }
    /// A comment of a project.
    InComment { projectid: ProjectId, commentid: Uuid }
    /// A link with which guests read a project.
    OfLink { projectid: ProjectId, linkid: SecretId }
    /// A person waiting to be admitted to a project.
    OfWalkIn {
        projectid: ProjectId,
        /// The name that the person gave.
        #[cfg_attr(feature = "openapi", param(min_length = 1, example = "Zoe"))]
        name: String
    }
    /// A design board of a project.
    OnBoard {
        projectid: ProjectId,
        /// Any text: the service has no boards.
        #[cfg_attr(feature = "openapi", param(min_length = 1, example = "1"))]
        boardid: String
    }
    /// A member of a project.
    OfMember {
        projectid: ProjectId,
        /// A member of the project. Any text is accepted: the service responds with 403 if it is not the name of a member.
        #[cfg_attr(feature = "openapi", param(min_length = 1, example = "amara.okafor"))]
        username: String
    }
    /// A system of a project, and a member.
    OfMemberInSystem {
        projectid: ProjectId,
        sysid: SystemId,
        /// A member of the project. Any text is accepted: the service responds with 403 if it is not the name of a member.
        #[cfg_attr(feature = "openapi", param(min_length = 1, example = "amara.okafor"))]
        username: String
    }
}

/// No ids, for paths without any.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct NoIds {}

impl PathIds for NoIds {
    const NAMES: &'static [&'static str] = &[];

    fn write(&self, _path: &mut PathWriter) {}
}

/// Replaces the names in braces in a path by ids, one after the other.
pub struct PathWriter {
    path: String,
    /// The part of the path after the ids that were written.
    rest: &'static str,
}

impl PathWriter {
    pub(super) fn new(path: &'static str) -> Self {
        // Ids are hardly longer than their names in braces.
        PathWriter { path: String::with_capacity(path.len() + 16), rest: path }
    }

    fn write_id(&mut self, id: &impl fmt::Display) {
        let (before, from_name) = self.rest.split_once('{').unwrap_or((self.rest, ""));
        self.path.push_str(before);
        self.rest = from_name.split_once('}').map_or("", |(_, after)| after);
        // Writing into a String succeeds.
        let _ = write!(PercentEncoded(&mut self.path), "{id}");
    }

    pub(super) fn finish(mut self) -> String {
        self.path.push_str(self.rest);
        self.path
    }
}

/// Percent-encodes written text, so that it stays within its segment of the path.
struct PercentEncoded<'p>(&'p mut String);

impl Write for PercentEncoded<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
        self.0.extend(utf8_percent_encode(text, RESERVED));
        Ok(())
    }
}
