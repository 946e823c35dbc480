//! Finds the project, team, design, system or diagram that a user means by its id, its title, its tag, or the unique start of its
//! title.

use std::fmt::{self, Display, Formatter};

use crate::{Error, Result, shown};
use geodesign::model::{DesignId, DiagramId, ProjectId, SystemId, TeamId, composed, folded};

/// A user's reference to a thing of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reference<Id> {
    Id(Id),
    /// Its title, its tag, or the start of its title, in upper or lower case.
    Title(String),
    /// The id of a thing in this project.
    Of(ProjectId, Id),
}

pub type TeamReference = Reference<TeamId>;
pub type SystemReference = Reference<SystemId>;
pub type DiagramReference = Reference<DiagramId>;

/// A design as a user refers to it: by its id or title, or as the latest one, among the designs of a team or of all teams.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GivenDesign {
    pub team: Option<TeamReference>,
    /// `None` for the latest.
    pub design: Option<Reference<DesignId>>,
}

impl<Id> From<Id> for Reference<Id> {
    fn from(id: Id) -> Self {
        Reference::Id(id)
    }
}

impl<Id> Reference<Id> {
    /// Refers to a thing by its title, its tag, or the unique start of its title.
    pub fn titled(title: &str) -> Self {
        Reference::Title(title.to_owned())
    }
}

impl<Id: Display> Display for Reference<Id> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self {
            Reference::Id(id) | Reference::Of(_, id) => write!(f, "{id}"),
            Reference::Title(title) => write!(f, "{title:?}"),
        }
    }
}

impl<Id: Clone + Display> Reference<Id> {
    /// The text that was given.
    pub(super) fn text(&self) -> String {
        match self {
            Reference::Id(id) | Reference::Of(_, id) => id.to_string(),
            Reference::Title(title) => title.clone(),
        }
    }

    /// Returns the id, if it was given; `None` if a title has to be looked up. A thing of another project is an error.
    pub(super) fn id_in(&self, project: &ProjectId, kind: &str) -> Result<Option<Id>> {
        match self {
            Reference::Id(id) => Ok(Some(id.clone())),
            Reference::Of(of, id) if of == project => Ok(Some(id.clone())),
            Reference::Of(of, id) => Err(Error::Input(format!(
                "the {kind} {id} belongs to the project {of}, not to {project}; ask that project"
            ))),
            Reference::Title(_) => Ok(None),
        }
    }
}

/// A thing that has a title.
pub trait Titled {
    type Id: Clone + Display + PartialEq;

    /// The name of such a thing in messages, in the singular and the plural.
    const KIND: (&'static str, &'static str);

    fn id(&self) -> Self::Id;

    fn title(&self) -> &str;

    /// A tag that distinguishes it from others of the same title, in addition to its id.
    fn tag(&self) -> Option<&str> {
        None
    }
}

/// The reason why a title does not identify one thing of the project.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Unclear {
    #[error("there is no {kind} {given}; {listed}")]
    Unknown { kind: &'static str, given: String, listed: String },
    #[error("several {kind} {what} {given}; give the id of one: {listed}")]
    Ambiguous { kind: &'static str, what: &'static str, given: String, listed: String },
}

impl From<Unclear> for Error {
    fn from(unclear: Unclear) -> Self {
        Error::input(unclear)
    }
}

/// Finds the thing that a reference identifies. A title takes precedence over a tag with the same spelling, both over the start of a title,
/// and an exact match over one that differs in case. Composed and separate accents count as the same.
pub fn among<'t, T: Titled>(given: &Reference<T::Id>, things: &'t [T]) -> Result<&'t T, Unclear> {
    let (kind, kinds) = T::KIND;
    let unknown = |given: String| Unclear::Unknown { kind, given, listed: listing(things) };
    let title = match given {
        Reference::Id(id) | Reference::Of(_, id) => {
            return things.iter().find(|thing| thing.id() == *id).ok_or_else(|| unknown(id.to_string()));
        }
        Reference::Title(title) => title.trim(),
    };
    let (spelled, alike) = (composed(title), folded(title));
    let is_titled = |thing: &T| folded(thing.title()) == alike;
    let is_tagged = |thing: &T| thing.tag().is_some_and(|tag| folded(tag) == alike);
    let begins = |thing: &T| !alike.is_empty() && folded(thing.title()).starts_with(&alike);
    let is_spelled_alike = |thing: &T| composed(thing.title().trim()) == spelled;
    let matching = |is_meant: &dyn Fn(&T) -> bool| things.iter().filter(|thing| is_meant(thing)).collect::<Vec<_>>();
    for (what, found) in [
        ("are called", matching(&is_spelled_alike)),
        ("are called", matching(&is_titled)),
        ("are called", matching(&is_tagged)),
        ("begin with", matching(&begins)),
    ] {
        match found[..] {
            [] => {}
            [one] => return Ok(one),
            ref several => {
                let listed = several.iter().map(|thing| described(*thing)).collect::<Vec<_>>().join(", ");
                return Err(Unclear::Ambiguous { kind: kinds, what, given: format!("{title:?}"), listed });
            }
        }
    }
    Err(unknown(format!("{title:?}")))
}

/// At most this many things are listed.
const MAX_LISTED: usize = 30;

/// Lists the ids and titles of things in words.
pub fn listing<T: Titled>(things: &[T]) -> String {
    let (_, kinds) = T::KIND;
    if things.is_empty() {
        return format!("there are no {kinds}");
    }
    let listed: Vec<String> = things.iter().take(MAX_LISTED).map(described).collect();
    let more = things.len().saturating_sub(MAX_LISTED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("the {kinds} are {}{more}", listed.join(", "))
}

fn described<T: Titled>(thing: &T) -> String {
    let title = shown(thing.title());
    match thing.tag() {
        _ if thing.id().to_string() == thing.title() => title,
        None | Some("") => format!("{} {title:?}", thing.id()),
        Some(tag) => format!("{} {title:?} ({})", thing.id(), shown(tag)),
    }
}
