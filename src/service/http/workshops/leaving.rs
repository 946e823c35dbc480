//! Taking a workshop out of service.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::time::sleep;

use super::opening::Workshops;
use super::slot::{OpenWorkshop, Slot};
use crate::blocking;
use crate::service::http::error::{ApiError, Result};
use crate::service::http::workshop::Workshop;
use crate::service::workshops::{WorkshopError, WorkshopFolder, WorkshopName};

/// How long a workshop that is to be archived or removed may go on answering what it has begun.
const LEAVING_TIMEOUT: Duration = Duration::from_secs(5);
const LEAVING_CHECK_INTERVAL: Duration = Duration::from_millis(10);

impl Workshops {
    /// Closes a workshop, and has a function move or delete its database before anybody can open it again. Once begun, this goes on
    /// also where nobody awaits it any more.
    pub async fn take_out<T: Send + 'static>(
        &self,
        name: &WorkshopName,
        change: impl FnOnce(&WorkshopFolder) -> std::result::Result<T, WorkshopError> + Send + 'static,
    ) -> Result<T> {
        let (slot, folder) = (self.slot(name).await?, self.folder().clone());
        let take_out = async move {
            let _changing = slot.changing.lock().await;
            slot.set_leaving(true);
            let taken = wait_and_take(&slot).await;
            let changed = match taken {
                Ok(open) => {
                    let close_and_change = move || {
                        open.into_iter().for_each(OpenWorkshop::close);
                        change(&folder)
                    };
                    blocking::run(close_and_change).await.map_err(ApiError::from)
                }
                Err(error) => Err(error),
            };
            slot.set_leaving(false);
            slot.set_failure(None);
            Ok(changed?.map_err(Arc::new)?)
        };
        tokio::spawn(take_out).await?
    }
}

/// The open workshop, as soon as all has been answered that was begun; `None` if it is not open.
async fn wait_and_take(slot: &Slot) -> Result<Option<OpenWorkshop>> {
    let deadline = Instant::now() + LEAVING_TIMEOUT;
    loop {
        slot.look().iter().for_each(Workshop::end_streams);
        match slot.take_unused() {
            Some(open) => return Ok(Some(open)),
            None if !slot.is_open() => return Ok(None),
            None if Instant::now() >= deadline => {
                return Err(ApiError::Conflict("The workshop is in use; try again.".into()));
            }
            None => sleep(LEAVING_CHECK_INTERVAL).await,
        }
    }
}
