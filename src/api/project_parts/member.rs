//! Operations of a member of a project.

use pyo3::prelude::*;

use super::{AsyncMember, Member};
use crate::api::cost_report::CostReport;
use crate::api::features::FeatureCollection;
use crate::convert::arguments::{Arg, DiagramIds, ids, selection_kind};
use crate::convert::to_python::Json;
use crate::engine::operations::operations;
use geodesign::costs::CountedLand;
use geodesign::model::{DiagramId, DiagramKind, IssuedToken, SelectionChange, UtcMillis};
use geodesign_client::{CostOptions, CostSelection, MemberHandle, SystemReference};

operations! { Member / AsyncMember of MemberHandle:
    /// The diagrams that the member selected.
    ///
    /// Args:
    ///     system: A system: the object, its id, name or tag, or the unique start of its name. Default: all systems.
    ///     kind: `"project"` or `"policy"`, within a system. Default: both.
    ///
    /// Returns:
    ///     A `FeatureCollection`.
    ///
    /// Raises:
    ///     InputError: `kind` without `system` or with another value, or no system of that name.
    ///     PermissionDeniedError: The user is not a member of the project.
    ///
    /// Examples:
    ///     >>> len(project.member("amara.okafor").selection()) > 0
    ///     True
    #[pyo3(signature = (system=None, kind=None))]
    fn selection(
        system: Option<SystemReference>, kind: Option<DiagramKind>,
    ) -> FeatureCollection = |member| {
        let (project, username) = (member.project(), member.id().await?);
        let system = match system {
            Some(system) => Some(project.find_system(&system).await?),
            None => None,
        };
        Ok(project.selection(&username, selection_kind(system, kind)?).await?.into())
    };

    #[doc = summary!(SET_SELECTION)]
    ///
    /// Args:
    ///     diagrams: All diagrams of the new selection.
    ///
    /// Returns:
    ///     The ids of these diagrams.
    ///
    /// Raises:
    ///     BadRequestError: The project lacks one of the diagrams; nothing was changed.
    ///     PermissionDeniedError: The member is not the user, or not in the project; or selecting is closed.
    ///
    /// Examples:
    ///     >>> project.member("jose.villanueva").set_selection([1001, 1040])
    ///     [1001, 1040]
    fn set_selection(diagrams: DiagramIds) -> Json<Vec<DiagramId>> = |member| {
        let (project, username) = (member.project(), member.id().await?);
        let diagrams = diagrams.find(project).await?;
        Ok(Json(project.set_selection(&username, diagrams).await?))
    };

    #[doc = summary!(CHANGE_SELECTION)]
    ///
    /// Args:
    ///     add: Diagrams to add.
    ///     remove: Diagrams to take out.
    ///
    /// Returns:
    ///     The ids of all diagrams that the member now has selected.
    ///
    /// Raises:
    ///     BadRequestError: The project lacks one of the diagrams; nothing was changed.
    ///     PermissionDeniedError: The member is not the user, or not in the project; or selecting is closed.
    ///
    /// Examples:
    ///     >>> selected = project.member("jose.villanueva").change_selection(add=[1003], remove=[1001])
    ///     >>> 1003 in selected, 1001 in selected
    ///     (True, False)
    #[pyo3(signature = (*, add=None, remove=None))]
    fn change_selection(
        add: Option<DiagramIds>, remove: Option<DiagramIds>,
    ) -> Json<Vec<DiagramId>> = |member| {
        let (project, username) = (member.project(), member.id().await?);
        let change = SelectionChange { add: ids(add, project).await?, remove: ids(remove, project).await? };
        Ok(Json(project.change_selection(&username, &change).await?))
    };

    /// The cost of the diagrams that the member selected, system by system: `Project.costs` of this member.
    ///
    /// Args:
    ///     land: `"inside"` to count only land inside the study area, as `Project.costs` does.
    ///     check: True to check the geometries, as `Project.costs` does.
    ///     strict: True to raise an error for a diagram with a wrong or unreadable value, as in `Project.costs`.
    ///
    /// Returns:
    ///     A `CostReport`.
    ///
    /// Raises:
    ///     InputError: For `land="inside"`, the project has no boundaries.
    ///     PermissionDeniedError: The user is not a member of the project.
    ///     DecodeError: A diagram has no id; with `strict=True`, a diagram is wrong.
    ///
    /// Examples:
    ///     >>> member = project.member("amara.okafor")
    ///     >>> member.costs().total == member.service_costs()["total"]
    ///     True
    #[pyo3(
        signature = (*, land=Arg(CountedLand::All), check=false, strict=false),
        text_signature = "($self, *, land='all', check=False, strict=False)"
    )]
    fn costs(land: CountedLand, check: bool, strict: bool) -> CostReport = |member| {
        let member = if strict { member.strictly() } else { member };
        let options = CostOptions { check, land, external: None };
        Ok(member.project().costs(CostSelection::Member(member.id().await?), options).await?.into())
    };

    #[doc = summary!(ADD_MEMBER_TOKEN)]
    ///
    /// It also ends when the member joins another project.
    ///
    /// Args:
    ///     expires_at: The time when the token expires, as for `Diagram.update`. Default: after the time set by the operator of the service, or
    ///         after six months.
    ///
    /// Returns:
    ///     An `IssuedToken` dict: `id`, `username`, `token`, `code` (for `Client.sign_in`), `expires_at` (UTC).
    ///
    /// Raises:
    ///     BadRequestError: The time has passed.
    ///     PermissionDeniedError: The user is not an administrator of the project, or the member is also in other projects, or is the
    ///         operator of the service.
    ///
    /// Examples:
    ///     >>> project.member("amara.okafor").add_token(expires_at="2999-06-01")["username"]
    ///     'amara.okafor'
    #[pyo3(signature = (*, expires_at=None))]
    fn add_token(expires_at: Option<UtcMillis>) -> Json<IssuedToken> = |member| {
        let (project, username) = (member.project(), member.id().await?);
        Ok(Json(project.add_member_token(&username, expires_at).await?))
    };
}
