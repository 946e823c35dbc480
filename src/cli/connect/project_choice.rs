//! Which project a user means, who gives its id, its title, or nothing where there is one only.

use crate::cli::error::{CommandError, Result};
use crate::client::shown;
use crate::model::{ProjectId, ProjectInfo};

/// The project that `given` names, by its id or by its title in upper or lower case. A title that is written alike comes
/// before one that is not.
pub fn choose_project(given: Option<&str>, projects: &[(ProjectId, String)]) -> Result<ProjectId> {
    let Some(given) = given else {
        return match projects {
            [(only, _)] => Ok(only.clone()),
            [] => Err(CommandError::NotFound("there is no project; ask its administrator to make you a member".into())),
            _ => Err(CommandError::Input(format!(
                "there are several projects; name one by id or title: {}",
                listed(projects)
            ))),
        };
    };
    if let Some((id, _)) = projects.iter().find(|(id, _)| id.as_str() == given) {
        return Ok(id.clone());
    }
    let titled = |is_same: &dyn Fn(&str) -> bool| -> Vec<(ProjectId, String)> {
        projects.iter().filter(|(_, title)| is_same(title.trim())).cloned().collect()
    };
    let wanted = given.trim();
    let mut found = titled(&|title| title == wanted);
    if found.is_empty() {
        found = titled(&|title| title.to_lowercase() == wanted.to_lowercase());
    }
    match &found[..] {
        [(only, _)] => Ok(only.clone()),
        [] => Err(CommandError::NotFound(match projects {
            [] => format!("there is no project {given:?}, and no other; ask its administrator to make you a member"),
            _ => format!("there is no project {given:?}; the projects are {}", listed(projects)),
        })),
        several => Err(CommandError::Input(format!(
            "several projects have the title {given:?}; give the id of one: {}",
            listed(several)
        ))),
    }
}

/// Id and title of a project.
pub fn named(project: ProjectInfo) -> (ProjectId, String) {
    (project.id, project.projecttitle.unwrap_or_default())
}

fn listed(projects: &[(ProjectId, String)]) -> String {
    projects.iter().map(|(id, title)| format!("{id} ({})", shown(title))).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn projects(titles: &[(&str, &str)]) -> Vec<(ProjectId, String)> {
        titles.iter().map(|(id, title)| (id.parse().unwrap(), (*title).to_owned())).collect()
    }

    #[test]
    fn a_project_is_named_by_its_id_or_title_or_not_at_all_if_it_is_the_only_one() {
        let two = projects(&[("StatenIsland2050", "Staten Island 2050"), ("Lisbon0000000001", "Lisbon")]);
        let choose = |given: &str| choose_project(Some(given), &two).unwrap().to_string();
        assert_eq!(choose("StatenIsland2050"), "StatenIsland2050");
        assert_eq!(choose("staten island 2050"), "StatenIsland2050");
        assert_eq!(choose(" Lisbon "), "Lisbon0000000001");
        assert_eq!(choose_project(None, &two[..1]).unwrap().as_str(), "StatenIsland2050");
    }

    #[test]
    fn an_unclear_name_lists_the_projects_that_it_may_mean() {
        let alike =
            projects(&[("Lisbon0000000001", "Lisbon"), ("Lisbon0000000002", "LISBON"), ("Porto00000000001", "Porto")]);
        assert_eq!(choose_project(Some("LISBON"), &alike).unwrap().as_str(), "Lisbon0000000002");
        let unclear = choose_project(Some("lisbon"), &alike).unwrap_err().to_string();
        assert!(
            unclear.contains("Lisbon0000000001") && unclear.contains("Lisbon0000000002") && !unclear.contains("Porto")
        );
        for given in [None, Some("Faro")] {
            assert!(choose_project(given, &alike).unwrap_err().to_string().contains("Porto00000000001 (Porto)"));
        }
    }
}
