//! The answers that become members of an archive.

use serde::de::IgnoredAny;

use super::contents::Wanted;
use super::old_archive::OldArchive;
use crate::archive::member_name;
use crate::client::http::Tagged;
use crate::client::{Error, Project, Result};

/// The answer to a request, or the status with which the service refused it.
pub enum Answer {
    New(Tagged),
    /// It is as it was in the old archive.
    Unchanged(Tagged),
    Refused(u16),
}

/// The whole answer to a request. Of what the user may not read or what does not exist, the status, unless it is required.
pub async fn answer(project: &Project, wanted: &Wanted, old: Option<&OldArchive>) -> Result<Answer> {
    let read = match old {
        Some(old) => read_anew(project, wanted, old).await,
        None => read(project, wanted, None, 0).await.map(|answer| answer.map(Answer::New)),
    };
    match read {
        Ok(Some(answer)) => Ok(answer),
        Ok(None) => Err(Error::Internal("an answer without a tag did not change".to_owned())),
        Err(Error::Api { status: status @ (403 | 404), .. }) if !wanted.is_required => Ok(Answer::Refused(status)),
        Err(error) => Err(error),
    }
}

/// Downloads what has another tag than the old answer.
async fn read_anew(project: &Project, wanted: &Wanted, old: &OldArchive) -> Result<Option<Answer>> {
    let Some(Ok(content)) = old.read(&wanted.endpoint).await? else {
        return Ok(read(project, wanted, None, 0).await?.map(Answer::New));
    };
    if wanted.is_picture() {
        // Its path names what it shows: a diagram that looks different has another one.
        return Ok(Some(Answer::Unchanged(Tagged { content, etag: None, total: None })));
    }
    let name = member_name(project.id().as_str(), &wanted.endpoint.path);
    let etag = name.and_then(|name| old.etag(&name));
    let known_items = if wanted.is_list { count_items(&content) } else { 0 };
    Ok(Some(match read(project, wanted, etag, known_items).await? {
        Some(answer) => Answer::New(answer),
        None => Answer::Unchanged(Tagged { content, etag: etag.map(str::to_owned), total: None }),
    }))
}

/// `None`: the service says that the answer still has this tag. A list is asked for in pages for so many items.
pub async fn read(
    project: &Project,
    wanted: &Wanted,
    etag: Option<&str>,
    known_items: usize,
) -> Result<Option<Tagged>> {
    let (transport, endpoint) = (&project.client().transport, &wanted.endpoint);
    match wanted.is_list {
        false if wanted.is_picture() => {
            let content = transport.png(endpoint.clone()).await?;
            Ok(Some(Tagged { content, etag: None, total: None }))
        }
        false => transport.read_if_changed(endpoint, etag).await,
        true => transport.list_if_changed(endpoint, etag, known_items).await,
    }
}

/// How many items a list has.
pub fn count_items(list: &[u8]) -> usize {
    serde_json::from_slice::<Vec<IgnoredAny>>(list).map_or(0, |items| items.len())
}
