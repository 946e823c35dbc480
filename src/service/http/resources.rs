//! What the workshops of a service share: its limits, its memory and its threads for pictures.

use std::sync::Arc;

use super::drawing_queue::DrawingQueue;
use super::paging::Paging;
use super::request::body_budget::BodyBudget;
use super::response::response_cache::ResponseCache;
use super::response::response_memory::ResponseMemory;
use crate::service::limits::Limits;

/// Cheap to clone; clones share everything.
#[derive(Clone)]
pub struct Resources {
    pub limits: Arc<Limits>,
    pub paging: Paging,
    pub bodies: Arc<BodyBudget>,
    pub responses: Arc<ResponseMemory>,
    pub all_diagrams: ResponseCache,
    pub drawing: DrawingQueue,
}

impl Resources {
    pub fn new(limits: Arc<Limits>, paging: Paging) -> Self {
        let responses = Arc::new(ResponseMemory::new(limits.clone()));
        Resources {
            bodies: Arc::new(BodyBudget::new(limits.clone())),
            all_diagrams: ResponseCache::new(responses.clone()),
            responses,
            drawing: DrawingQueue::new(limits.clone()),
            limits,
            paging,
        }
    }
}
