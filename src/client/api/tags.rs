//! Tags, and which diagrams carry them.

use crate::client::{Error, Project, Result};
use crate::model::operations::{
    CREATE_TAGS, DIAGRAM_TAG_CODES, DIAGRAM_TAGS, SET_DIAGRAM_TAG_CODES, SET_DIAGRAM_TAGS, TAGS,
};
use crate::model::{DiagramId, NewTag, NewTags, Status, Tag, Uuid};

impl Project {
    #[doc = summary!(TAGS)]
    pub async fn tags(&self) -> Result<Vec<Tag>> {
        self.list(TAGS.at(self.in_project())).await
    }

    #[doc = summary!(CREATE_TAGS)]
    pub async fn create_tags(&self, tags: Vec<NewTag>) -> Result<String> {
        for (at, tag) in tags.iter().enumerate() {
            tag.check().map_err(|problem| Error::Input(format!("tag {at}: {problem}")))?;
        }
        Ok(self.post::<Status>(CREATE_TAGS.at(self.in_project()), &NewTags { tags }).await?.status)
    }

    #[doc = summary!(DIAGRAM_TAGS)]
    pub async fn diagram_tags(&self, id: DiagramId) -> Result<Vec<Tag>> {
        self.get(DIAGRAM_TAGS.at(self.in_diagram(id))).await
    }

    /// The codes of the tags that a diagram carries.
    pub async fn diagram_tag_codes(&self, id: DiagramId) -> Result<Vec<String>> {
        let tags: Vec<Tag> = self.get(DIAGRAM_TAG_CODES.at(self.in_diagram(id))).await?;
        Ok(tags.into_iter().filter_map(|tag| tag.code).collect())
    }

    #[doc = summary!(SET_DIAGRAM_TAGS)]
    pub async fn set_diagram_tags(&self, id: DiagramId, tags: &[Uuid]) -> Result<String> {
        Ok(self.post::<Status>(SET_DIAGRAM_TAGS.at(self.in_diagram(id)), &tags).await?.status)
    }

    #[doc = summary!(SET_DIAGRAM_TAG_CODES)]
    pub async fn set_diagram_tag_codes(&self, id: DiagramId, codes: &[String]) -> Result<String> {
        Ok(self.post::<Status>(SET_DIAGRAM_TAG_CODES.at(self.in_diagram(id)), &codes).await?.status)
    }
}
