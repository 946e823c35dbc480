//! Finds the things that arguments name by an id, a title or the unique start of a title, as in Python.

use super::error::{CommandError, Result};
use geodesign::model::{ChangeTeam, Design, DiagramId, ProjectInfo};
use geodesign_client::{Error, Project, Reference, Titled, among, listing};
use http::StatusCode;

/// Finds the thing with this id, title or start of a title. An id takes precedence over a title.
pub fn found<'t, T: Titled>(given: &str, things: &'t [T]) -> Result<&'t T> {
    match things.iter().find(|thing| thing.id().to_string() == given.trim()) {
        Some(thing) => Ok(thing),
        None => Ok(among(&Reference::titled(given), things)?),
    }
}

/// Chooses the named project or, if none is named, the only one.
pub fn choose_project<'p>(given: Option<&str>, projects: &'p [ProjectInfo]) -> Result<&'p ProjectInfo> {
    match (given, projects) {
        (Some(given), [_, ..]) => found(given, projects),
        (None, [only]) => Ok(only),
        (None, [_, ..]) => Err(CommandError::Input(format!(
            "there are several projects; name one by its id or title: {}",
            listing(projects)
        ))),
        (given, []) => {
            let project = given.map(|given| format!(" {given:?}, and you are in no other")).unwrap_or_default();
            let problem = format!("there is no project{project}; ask its administrator to make you a member");
            Err(CommandError::NotFound(problem))
        }
    }
}

/// Returns the ids of diagrams. Titles are looked up in the list of diagrams; ids need no request, and may belong to removed diagrams.
pub async fn find_diagrams(project: &Project, given: &[String]) -> Result<Vec<DiagramId>> {
    let id = |given: &String| given.trim().parse().map(DiagramId).ok();
    let are_ids = given.iter().all(|given| id(given).is_some());
    let diagrams = if are_ids { Vec::new() } else { project.diagram_summaries().await? };
    given.iter().map(|given| id(given).map_or_else(|| Ok(found(given, &diagrams)?.id), Ok)).collect()
}

/// Returns the designs of a team, or of all teams, each with its team.
pub async fn designs_of(project: &Project, team: Option<&str>) -> Result<Vec<(ChangeTeam, Design)>> {
    let mut teams = project.teams().await?;
    if let Some(team) = team {
        teams = vec![found(team, &teams)?.clone()];
    }
    let mut designs = Vec::new();
    for team in teams {
        match project.designs(team.id).await {
            Ok(of_team) => designs.extend(of_team.into_iter().map(|design| (team.clone(), design))),
            // Some services respond with it for a team without designs.
            Err(Error::Api { status: StatusCode::NOT_FOUND, .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(designs)
}

/// Returns the named designs, or the latest one if none are named.
pub async fn find_designs(project: &Project, team: Option<&str>, given: &[String]) -> Result<Vec<Design>> {
    let designs: Vec<Design> = designs_of(project, team).await?.into_iter().map(|(_, design)| design).collect();
    if given.is_empty() {
        let date = |design: &&Design| design.details.creationdate.as_ref().map(ToString::to_string);
        let latest = designs.iter().max_by_key(date);
        let none = || {
            CommandError::NotFound(format!("the {} has no design yet", if team.is_some() { "team" } else { "project" }))
        };
        return Ok(vec![latest.ok_or_else(none)?.clone()]);
    }
    given.iter().map(|design| Ok(found(design, &designs)?.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn projects(titles: &[(&str, &str)]) -> Vec<ProjectInfo> {
        let project = |(id, title): &(&str, &str)| serde_json::json!({"id": id, "projecttitle": title});
        titles.iter().map(|titled| serde_json::from_value(project(titled)).unwrap()).collect()
    }

    #[test]
    fn a_project_is_named_by_its_id_or_title_or_not_at_all_if_it_is_the_only_one() {
        let two = projects(&[("StatenIsland2050", "Staten Island 2050"), ("Lisbon0000000001", "Lisbon")]);
        let choose = |given: &str| choose_project(Some(given), &two).unwrap().id.to_string();
        assert_eq!(choose("StatenIsland2050"), "StatenIsland2050");
        assert_eq!(choose("staten island 2050"), "StatenIsland2050");
        assert_eq!(choose(" Lisbon "), "Lisbon0000000001");
        assert_eq!(choose("stat"), "StatenIsland2050");
        assert_eq!(choose_project(None, &two[..1]).unwrap().id.as_str(), "StatenIsland2050");
    }

    #[test]
    fn an_unclear_name_lists_the_projects_that_it_may_mean() {
        let alike =
            projects(&[("Lisbon0000000001", "Lisbon"), ("Lisbon0000000002", "LISBON"), ("Porto00000000001", "Porto")]);
        assert_eq!(choose_project(Some("LISBON"), &alike).unwrap().id.as_str(), "Lisbon0000000002");
        for given in ["lisbon", "lis"] {
            let unclear = choose_project(Some(given), &alike).unwrap_err().to_string();
            assert!(
                unclear.contains("Lisbon0000000001")
                    && unclear.contains("Lisbon0000000002")
                    && !unclear.contains("Porto")
            );
        }
        for given in [None, Some("Faro")] {
            assert!(choose_project(given, &alike).unwrap_err().to_string().contains("Porto00000000001 \"Porto\""));
        }
    }
}
