//! Costs of diagrams and systems.

use pyo3::prelude::*;

use crate::api::cost_report::CostReport;
use crate::api::project::{AsyncProject, Project};
use crate::convert::arguments::{Arg, DiagramIds, cost_selection, given_design};
use crate::convert::external_frame::{check_libraries, read_geometries};
use crate::engine::operations::operations;
use geodesign::costs::CountedLand;
use geodesign::model::Username;
use geodesign_client as client;
use geodesign_client::{CostOptions, ExternalLimits, FileReader, GivenDesign, TeamReference};

operations! { Project / AsyncProject of client::Project:
    /// The cost of diagrams, system by system.
    ///
    /// For each diagram, in this order: an override of type `total` is the cost; a policy costs nothing; the rate is the
    /// diagram's own if it has one, else its system's; a diagram that covers any area costs rate × hectares, one with
    /// lines only rate × kilometres, one with points only rate × their number. Area and length are geodesic on WGS 84 (Karney 2013), from the geometry; if there is
    /// none, from the external file if requested, or else the service's own figures. A diagram of unknown rate or area
    /// has no cost: the report counts it in `unpriced`, and leaves it out of its sums.
    ///
    /// With `land="inside"`, area and length are those of the part inside the study area, the project's boundaries; what lies along them is
    /// inside. An override of type `total` stays as it is. A diagram without a geometry counts as a whole. `outside_note` of each row says
    /// what is not counted, or why all of it is.
    ///
    /// Args:
    ///     member: Price the diagrams that this member selected.
    ///     design: Price this design: the object, its id, its title or its title's unique start.
    ///     team: The design's team, if several teams have designs of that title. Without `design`, the team's latest design, named in the
    ///         report's title.
    ///     diagrams: Price these diagrams: the objects, their ids, their titles or their titles' unique starts. Without any of these four,
    ///         every diagram.
    ///     land: The land that counts: `"all"`, or `"inside"` for the part of each diagram inside the study area.
    ///     check: True to check the geometries, as `FeatureCollection.problems()` does: an invalid one, such as one with overlapping parts,
    ///         may have a wrong cost. The report then has the number of invalid ones (`invalid`), and the reasons (`geometry_problem`).
    ///     external: True to download the files of external diagrams, as `external()` does, and to price these by the
    ///         geometries in the files (`area_source` is `external`). If a file cannot be opened, `file_problem` says why.
    ///     max_bytes: The largest external file that is read. Default: 100 MB.
    ///     allow_private: True to allow external files on this machine or in a private network; see `external()`.
    ///     strict: True to raise an error for a diagram with a wrong or unreadable value, or with a system that the project does not list.
    ///         By default it has no cost: `unpriced` counts it, `cost_problem` says why, and a `UserWarning` says how many there are.
    ///
    /// Returns:
    ///     A `CostReport`.
    ///
    /// Raises:
    ///     InputError: More than one way to choose diagrams, or a diagram, team or design that the project does not have. For `land="inside"`, the
    ///         project has no boundaries, or the overlay with them would take too long.
    ///     DecodeError: A diagram has no id; with `strict=True`, a diagram is wrong.
    ///     ImportError: For `external=True`, GeoPandas or pyarrow is missing; `pip install 'pygeodesign[geo]'` installs both.
    ///
    /// Examples:
    ///     >>> report = project.costs(diagrams=[1001, 1002])
    ///     >>> report.total == sum(row["cost"] for row in report.diagrams)
    ///     True
    ///     >>> inside = project.costs(diagrams=[1001, 1002], land="inside")
    ///     >>> inside.total <= report.total
    ///     True
    #[pyo3(
        signature = (
            *, member=None, team=None, design=None, diagrams=None, land=Arg(CountedLand::All), check=false, external=false,
            max_bytes=100_000_000, allow_private=false, strict=false
        ),
        text_signature = "($self, *, member=None, team=None, design=None, diagrams=None, land='all', check=False, external=False, max_bytes=100_000_000, allow_private=False, strict=False)"
    )]
    fn costs(
        member: Option<Username>, team: Option<TeamReference>, design: Option<GivenDesign>, diagrams: Option<DiagramIds>,
        land: CountedLand, check: bool, external: bool, max_bytes: usize, allow_private: bool, strict: bool,
    ) -> CostReport = |project| {
        if external {
            check_libraries()?;
        }
        let selection = cost_selection(&project, member, given_design(team, design), diagrams).await?;
        let reader = FileReader { limits: ExternalLimits { max_bytes, allow_private }, read: read_geometries };
        let options = CostOptions { check, land, external: external.then_some(reader) };
        let project = if strict { project.strictly() } else { project };
        Ok(project.costs(selection, options).await?.into())
    };

}
