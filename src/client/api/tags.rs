//! Tags, and which diagrams carry them.

use crate::client::{Error, Project, Result};
use crate::model::{DiagramId, NewTag, NewTags, Status, Tag, Uuid};

impl Project {
    /// `GET …/tags/`
    pub async fn tags(&self) -> Result<Vec<Tag>> {
        self.list("tags/").await
    }

    /// `POST …/tags/create/`
    pub async fn create_tags(&self, tags: Vec<NewTag>) -> Result<String> {
        for (at, tag) in tags.iter().enumerate() {
            tag.check().map_err(|problem| Error::Input(format!("tag {at}: {problem}")))?;
        }
        Ok(self.post::<Status>("tags/create/", &NewTags { tags }).await?.status)
    }

    /// `GET …/diagrams/{diagramid}/tags/`
    pub async fn diagram_tags(&self, id: DiagramId) -> Result<Vec<Tag>> {
        self.get(format!("diagrams/{id}/tags/")).await
    }

    /// `GET …/diagrams/{diagramid}/tags/codes/`: the codes of the diagram's tags.
    pub async fn diagram_tag_codes(&self, id: DiagramId) -> Result<Vec<String>> {
        let tags: Vec<Tag> = self.get(format!("diagrams/{id}/tags/codes/")).await?;
        Ok(tags.into_iter().filter_map(|tag| tag.code).collect())
    }

    /// `POST …/diagrams/{diagramid}/tags/`: makes these tags those of the diagram.
    pub async fn set_diagram_tags(&self, id: DiagramId, tags: &[Uuid]) -> Result<String> {
        Ok(self.post::<Status>(format!("diagrams/{id}/tags/"), &tags).await?.status)
    }

    /// `POST …/diagrams/{diagramid}/tags/codes/`: makes the tags of these codes those of the diagram.
    pub async fn set_diagram_tag_codes(&self, id: DiagramId, codes: &[String]) -> Result<String> {
        Ok(self.post::<Status>(format!("diagrams/{id}/tags/codes/"), &codes).await?.status)
    }
}
