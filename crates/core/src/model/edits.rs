//! Changes that members, teams and administrators make in a workshop, as request bodies and their responses: edits of diagrams, selections,
//! votes, new designs, negotiations, teams, systems, maps, and open activities. A field that an edit leaves out stays as it is; an unknown
//! field is an error.

use std::collections::BTreeMap;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use super::bounds::BoundsError;
use super::creation::is_color;
use super::dates::{DateTime, UtcMillis};
use super::diagram::{CostType, DiagramKind, FundingType, InvalidDiagram, check_title, ids_only};
use super::fields::{JsonObject, integer_only};
use super::ids::{DesignId, DiagramId, SystemId, TeamId, Username};
use super::impacts::{Impacts, InvalidImpact, check_impacts};
use super::languages::LANGUAGES;
use super::maps::AreaFeatures;
use super::new_diagrams::{DrawnFeatures, check_drawn};
use super::quantities::{InvalidQuantity, Quantity, check_quantities};
use super::storeys::Storeys;
use crate::costs::CountedLand;
use crate::json::object;

macro_rules! bodies {
    ($($(#[$about:meta])* $name:ident { $($(#[$field_about:meta])* $field:ident: $type:ty,)* })*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Default, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
        pub struct $name {$(
            $(#[$field_about])*
            #[serde(default, skip_serializing_if = "is_absent")]
            pub $field: $type,
        )*}
    )*};
}

/// Values that are not written into a body: absent ones, `false`, and empty text and lists.
trait Absent {
    fn is_absent(&self) -> bool;
}

impl<T> Absent for Option<T> {
    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<T> Absent for Vec<T> {
    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl Absent for String {
    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl Absent for bool {
    fn is_absent(&self) -> bool {
        !self
    }
}

fn is_absent(value: &impl Absent) -> bool {
    value.is_absent()
}

bodies! {
    /// New values of a diagram.
    DiagramEdit {
        #[cfg_attr(feature = "openapi", schema(min_length = 1))]
        title: Option<String>,
        /// The first day. If the diagram has no days, one day alone counts for both.
        start_date: Option<UtcMillis>,
        /// The last day.
        end_date: Option<UtcMillis>,
        /// `true` removes the days.
        undated: bool,
        /// The system to which the diagram moves. It gets the next place there.
        sysid: Option<SystemId>,
        #[serde(rename = "type")]
        kind: Option<DiagramKind>,
        fundingtype: Option<FundingType>,
        /// Replaces all features of the diagram.
        #[cfg_attr(feature = "openapi", schema(value_type = Option<super::DrawnFeaturesSchema>))]
        geometry: Option<DrawnFeatures>,
        /// An amount of money in place of the system's cost; 0 for none.
        #[cfg_attr(feature = "openapi", schema(minimum = 0))]
        cost: Option<f64>,
        /// Meaning of the amount; required unless the amount is 0.
        cost_type: Option<CostType>,
        /// Any fields. `storeys_above_ground` and `storeys_below_ground` are whole numbers, from which floors are counted.
        building_data: Option<JsonObject>,
    }

    /// Diagrams to add to a selection and to remove from it.
    SelectionChange {
        #[serde(deserialize_with = "ids_only")]
        add: Vec<DiagramId>,
        #[serde(deserialize_with = "ids_only")]
        remove: Vec<DiagramId>,
    }

    /// A design to be saved: the diagrams of everything named here, plus those to add, minus those to remove.
    NewDesign {
        /// Its title.
        #[cfg_attr(feature = "openapi", schema(min_length = 1))]
        description: String,
        #[serde(deserialize_with = "ids_only")]
        diagrams: Vec<DiagramId>,
        /// Members whose selections it begins with.
        members: Vec<Username>,
        /// A design of the project that it begins with.
        synthesisid: Option<DesignId>,
        #[serde(deserialize_with = "ids_only")]
        add: Vec<DiagramId>,
        #[serde(deserialize_with = "ids_only")]
        remove: Vec<DiagramId>,
    }

    /// New values of a design.
    DesignEdit {
        /// Its title.
        #[cfg_attr(feature = "openapi", schema(min_length = 1))]
        description: Option<String>,
    }

    /// New values of a change team, or the values of a new one.
    TeamEdit {
        #[cfg_attr(feature = "openapi", schema(min_length = 1))]
        title: Option<String>,
        /// `#RRGGBB`
        #[cfg_attr(feature = "openapi", schema(pattern = "^#[0-9A-Fa-f]{6}$"))]
        color: Option<String>,
        /// All members of the team; they have to be members of the project.
        members: Option<Vec<Username>>,
    }

    /// New values of a system, or those of a new one.
    SystemEdit {
        #[cfg_attr(feature = "openapi", schema(min_length = 1))]
        name: Option<String>,
        /// `#RRGGBB`
        #[cfg_attr(feature = "openapi", schema(pattern = "^#[0-9A-Fa-f]{6}$"))]
        color: Option<String>,
        /// A short name.
        tag: Option<String>,
        verbose_description: Option<String>,
        /// Cost of a project per hectare, or per kilometre if it has only lines.
        #[cfg_attr(feature = "openapi", schema(minimum = 0))]
        cost: Option<f64>,
        /// Budget of the whole system.
        #[cfg_attr(feature = "openapi", schema(minimum = 0))]
        budget: Option<f64>,
        /// Hectares that the system covers today.
        #[cfg_attr(feature = "openapi", schema(minimum = 0))]
        current_ha: Option<f64>,
        /// Hectares that the system should cover.
        #[cfg_attr(feature = "openapi", schema(minimum = 0))]
        target_ha: Option<f64>,
        /// Effects of its projects on other systems, by the ids of these: whole numbers from -2 (much worse) to 2 (much better).
        /// Systems that are left out stay as they are; 0 removes an impact.
        #[cfg_attr(feature = "openapi", schema(value_type = Option<std::collections::BTreeMap<String, i64>>))]
        impacts: Option<Impacts>,
        /// Quantities that its projects bring, such as homes, people and jobs, by name. Those that are left out stay as they are; null removes one.
        #[cfg_attr(feature = "openapi", schema(value_type = Option<std::collections::BTreeMap<String, Quantity>>))]
        quantities: Option<BTreeMap<String, Option<Quantity>>>,
    }

    /// New values of a project.
    ProjectEdit {
        #[cfg_attr(feature = "openapi", schema(min_length = 1))]
        projecttitle: Option<String>,
        projectdesc: Option<String>,
        /// The currency of rates, budgets and costs, such as `USD`; an empty text for none.
        currency: Option<String>,
        /// The language of reports, cards and the wall, such as `pt-BR`; an empty text for none.
        language: Option<String>,
        /// The land that counts in the room: `all`, or `inside` for land inside the study area only.
        counted_land: Option<String>,
        /// Drawings on the constraints: `warn` their authors, or `refuse` them.
        drawings_on_constraints: Option<String>,
    }

    /// Role of a project member.
    MemberRole {
        /// True if the member administers the project.
        administrator: bool,
    }

    /// Switches for the activities of members.
    ActivitiesEdit {
        drawing: Option<ActivityEdit>,
        selecting: Option<ActivityEdit>,
        designing: Option<ActivityEdit>,
        commenting: Option<ActivityEdit>,
        /// True hides votes from all members but their own; false shows all.
        votes_hidden: Option<bool>,
        /// True shows members what others are drawing.
        drawings_shown: Option<bool>,
    }
}

/// The new selection of a member.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewSelection {
    #[serde(deserialize_with = "ids_only")]
    pub diagrams: Vec<DiagramId>,
}

impl DiagramEdit {
    /// Checks the rules that the types of the fields do not express.
    pub fn check(&self) -> Result<(), InvalidDiagram> {
        self.title.as_deref().map_or(Ok(()), check_title)?;
        if let Some(geometry) = &self.geometry {
            check_drawn(geometry)?;
        }
        self.building_data.as_ref().map(Storeys::of).transpose()?;
        if self.undated && (self.start_date.is_some() || self.end_date.is_some()) {
            return Err(InvalidDiagram::DatedAndUndated);
        }
        if let (Some(start), Some(end)) = (self.start_date, self.end_date)
            && start > end
        {
            return Err(InvalidDiagram::EndBeforeStart { start, end });
        }
        match (self.cost, self.cost_type) {
            (Some(cost), _) if !cost.is_finite() || cost < 0.0 => Err(InvalidDiagram::NegativeAmount(cost)),
            (Some(cost), None) if cost != 0.0 => Err(InvalidDiagram::NoCostType),
            (None, Some(_)) => Err(InvalidDiagram::NoCost),
            _ => Ok(()),
        }
    }
}

/// A vote of a member on a diagram.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Vote {
    pub diagram: DiagramId,
    pub username: Username,
    /// A number from -2 (strongly against) to 2 (strongly for).
    #[serde(deserialize_with = "vote_only")]
    pub vote: i64,
    /// A comment; may be empty.
    pub comment: String,
    /// UTC, without a zone.
    pub voted_at: DateTime,
    #[serde(flatten)]
    pub extra: JsonObject,
}

fn vote_only<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    let ballot = Ballot { vote: i64::deserialize(deserializer)?, comment: String::new() };
    ballot.check().map(|()| ballot.vote).map_err(D::Error::custom)
}

/// All votes on the diagrams of a project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Votes {
    pub votes: Vec<Vote>,
    /// True if the votes of others are left out, because they are hidden.
    #[serde(default, skip_serializing_if = "is_absent")]
    pub hidden: bool,
}

/// A vote to be cast on a diagram.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Ballot {
    /// A number from -2 (strongly against) to 2 (strongly for).
    #[serde(deserialize_with = "integer_only")]
    #[cfg_attr(feature = "openapi", schema(minimum = -2, maximum = 2))]
    pub vote: i64,
    #[serde(default)]
    pub comment: String,
}

/// A negotiation to begin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NewNegotiation {
    /// At least two teams of the project.
    #[cfg_attr(feature = "openapi", schema(min_items = 2))]
    pub cteams: Vec<TeamId>,
}

/// A decision in a negotiation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NewMove {
    pub diagram: DiagramId,
    /// The decision, such as `accept`, `reject` or `ask`.
    #[serde(rename = "move")]
    #[cfg_attr(feature = "openapi", schema(min_length = 1))]
    pub action: String,
    /// A short reason.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub comment: String,
}

/// A map of a project to be set: boundaries, second boundaries or constraints.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NewMap {
    #[serde(deserialize_with = "object")]
    #[cfg_attr(feature = "openapi", schema(value_type = super::AreaFeaturesBody))]
    pub geojson: AreaFeatures,
    /// The map's name.
    #[serde(default)]
    pub description: String,
}

/// Activity of members in a workshop. Administrators can close it, and are not affected themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Activity {
    /// Adding and changing diagrams.
    Drawing,
    /// Selecting diagrams and voting on them.
    Selecting,
    /// Saving designs, and negotiating.
    Designing,
    /// Commenting on diagrams, designs and places.
    Commenting,
}

impl Activity {
    pub const ALL: [Activity; 4] = [Activity::Drawing, Activity::Selecting, Activity::Designing, Activity::Commenting];

    pub fn name(self) -> &'static str {
        match self {
            Activity::Drawing => "drawing",
            Activity::Selecting => "selecting",
            Activity::Designing => "designing",
            Activity::Commenting => "commenting",
        }
    }
}

/// State of an activity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ActivityState {
    /// True if it is open now.
    pub open: bool,
    /// Time at which it closes, or closed; null if no time is set.
    pub closes_at: Option<DateTime>,
    /// Message in refusals.
    pub message: String,
}

impl Default for ActivityState {
    fn default() -> Self {
        ActivityState { open: true, closes_at: None, message: String::new() }
    }
}

/// State of all activities.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Activities {
    pub drawing: ActivityState,
    pub selecting: ActivityState,
    pub designing: ActivityState,
    #[serde(default)]
    pub commenting: ActivityState,
    /// True while members see only their own votes.
    #[serde(default)]
    pub votes_hidden: bool,
    /// True if members see what others are drawing.
    #[serde(default)]
    pub drawings_shown: bool,
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// A change that opens or closes an activity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ActivityEdit {
    pub open: bool,
    /// Time at which the open activity closes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closes_at: Option<UtcMillis>,
    /// Message in later refusals.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
}

/// Reasons why an edit is invalid.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidEdit {
    #[error("{0} is empty")]
    Empty(&'static str),
    #[error("title is missing; give the team a title")]
    NoTitle,
    #[error("{0} is missing; give the system a name and a color (#RRGGBB)")]
    NoSystem(&'static str),
    #[error("color {0:?} is not of the form #RRGGBB")]
    Color(String),
    #[error("{0} is {1}; it must be a number of 0 or more")]
    Figure(&'static str, f64),
    #[error(transparent)]
    Impact(#[from] InvalidImpact),
    #[error(transparent)]
    Quantity(#[from] InvalidQuantity),
    #[error("the currency is {0:?}; give a short name on one line, such as USD, of at most {MAX_CURRENCY} characters")]
    Currency(String),
    #[error("the language is {0:?}; the languages are {known}", known = LANGUAGES.join(", "))]
    Language(String),
    #[error("{0} must be {1} or {2}, not {3:?}")]
    Choice(&'static str, &'static str, &'static str, String),
    #[error("a design needs diagrams, members, or another design (synthesisid) to begin with")]
    NoSource,
    #[error("vote is {0}; it must be a whole number from -2 (strongly against) to 2 (strongly for)")]
    Vote(i64),
    #[error("a comment is about exactly one of diagram, design, place and reply_to; {0} are given")]
    About(usize),
    #[error("a review is of a diagram or a design; give one of them, or leave review out")]
    ReviewOfOther,
    #[error("asked names members for a review; give review: true with it, or leave asked out")]
    AskedWithoutReview,
    #[error("place: {0}")]
    Place(BoundsError),
    #[error("an outline has at most 200 points; {0} are given")]
    LongOutline(usize),
    #[error("a negotiation needs at least two teams; cteams has {0}")]
    FewTeams(usize),
    #[error("{0}.closes_at is given, but {0}.open is false; leave closes_at out to close it now")]
    ClosedLater(&'static str),
}

type Checked = Result<(), InvalidEdit>;

fn check_text(name: &'static str, text: Option<&str>) -> Checked {
    if text.is_some_and(|text| text.trim().is_empty()) { Err(InvalidEdit::Empty(name)) } else { Ok(()) }
}

fn check_color(color: Option<&String>) -> Checked {
    match color.filter(|color| !is_color(color)) {
        Some(color) => Err(InvalidEdit::Color(color.clone())),
        None => Ok(()),
    }
}

impl NewDesign {
    pub fn check(&self) -> Checked {
        check_text("description", Some(&self.description))?;
        let has_source = !self.diagrams.is_empty() || !self.members.is_empty() || self.synthesisid.is_some();
        if has_source { Ok(()) } else { Err(InvalidEdit::NoSource) }
    }
}

impl DesignEdit {
    pub fn check(&self) -> Checked {
        check_text("description", self.description.as_deref())
    }
}

impl TeamEdit {
    pub fn check(&self) -> Checked {
        check_text("title", self.title.as_deref())?;
        check_color(self.color.as_ref())
    }

    /// Checks a new team.
    pub fn check_new(&self) -> Checked {
        if self.title.is_none() { Err(InvalidEdit::NoTitle) } else { self.check() }
    }
}

impl SystemEdit {
    /// Checks a new system.
    pub fn check_new(&self) -> Checked {
        match (&self.name, &self.color) {
            (None, _) => Err(InvalidEdit::NoSystem("name")),
            (_, None) => Err(InvalidEdit::NoSystem("color")),
            _ => self.check(None),
        }
    }

    /// Checks an edit of this system; a new one has no id.
    pub fn check(&self, system: Option<SystemId>) -> Checked {
        check_text("name", self.name.as_deref())?;
        check_color(self.color.as_ref())?;
        let figures = [
            ("cost", self.cost),
            ("budget", self.budget),
            ("current_ha", self.current_ha),
            ("target_ha", self.target_ha),
        ];
        let unfit = |figure: &f64| !figure.is_finite() || *figure < 0.0;
        match figures.into_iter().find_map(|(name, figure)| Some((name, figure.filter(unfit)?))) {
            Some((name, figure)) => Err(InvalidEdit::Figure(name, figure)),
            None => {
                self.impacts.iter().try_for_each(|impacts| check_impacts(system, impacts))?;
                let quantities = self.quantities.iter().flatten();
                Ok(check_quantities(quantities.map(|(name, quantity)| (name, quantity.as_ref())))?)
            }
        }
    }
}

impl ProjectEdit {
    pub fn check(&self) -> Checked {
        check_text("projecttitle", self.projecttitle.as_deref())?;
        self.currency.as_deref().map_or(Ok(()), check_currency)?;
        self.language.as_deref().map_or(Ok(()), check_language)?;
        check_choice("counted_land", self.counted_land.as_deref(), CountedLand::NAMES)?;
        check_choice("drawings_on_constraints", self.drawings_on_constraints.as_deref(), DRAWINGS_ON_CONSTRAINTS)
    }
}

/// Values of a project's `drawings_on_constraints`; the first is the default.
pub const DRAWINGS_ON_CONSTRAINTS: [&str; 2] = ["warn", "refuse"];

fn check_choice(name: &'static str, value: Option<&str>, [one, other]: [&'static str; 2]) -> Checked {
    match value.filter(|value| ![one, other].contains(value)) {
        Some(value) => Err(InvalidEdit::Choice(name, one, other, value.to_owned())),
        None => Ok(()),
    }
}

/// Maximum number of characters in a currency's name.
pub const MAX_CURRENCY: usize = 20;

/// Returns an error unless a currency's name is a short text on one line.
fn check_currency(currency: &str) -> Checked {
    let is_short = currency.chars().count() <= MAX_CURRENCY && !currency.chars().any(char::is_control);
    if is_short { Ok(()) } else { Err(InvalidEdit::Currency(currency.to_owned())) }
}

/// Refuses a language without texts; an empty one is none.
fn check_language(language: &str) -> Checked {
    let is_known = language.is_empty() || LANGUAGES.contains(&language);
    if is_known { Ok(()) } else { Err(InvalidEdit::Language(language.to_owned())) }
}

impl Ballot {
    pub fn check(&self) -> Checked {
        if (-2..=2).contains(&self.vote) { Ok(()) } else { Err(InvalidEdit::Vote(self.vote)) }
    }
}

impl NewNegotiation {
    pub fn check(&self) -> Checked {
        let different = self.cteams.iter().collect::<std::collections::BTreeSet<_>>().len();
        if different < 2 { Err(InvalidEdit::FewTeams(different)) } else { Ok(()) }
    }
}

impl NewMove {
    pub fn check(&self) -> Checked {
        check_text("move", Some(&self.action))
    }
}

impl ActivitiesEdit {
    /// Returns the activities to change.
    pub fn given(&self) -> impl Iterator<Item = (Activity, &ActivityEdit)> {
        let edits = [&self.drawing, &self.selecting, &self.designing, &self.commenting];
        Activity::ALL.into_iter().zip(edits).filter_map(|(activity, edit)| Some((activity, edit.as_ref()?)))
    }

    pub fn check(&self) -> Checked {
        match self.given().find(|(_, edit)| !edit.open && edit.closes_at.is_some()) {
            Some((activity, _)) => Err(InvalidEdit::ClosedLater(activity.name())),
            None => Ok(()),
        }
    }
}
