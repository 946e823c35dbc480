//! How long to wait before a service that does not answer is asked again.

use std::time::Duration;

use tokio::time::sleep;

use crate::client::{Advice, Error, Result};

const FIRST_DELAY: Duration = Duration::from_millis(200);
const MAX_DELAY: Duration = Duration::from_secs(10);

/// Counts failures that follow one another.
#[derive(Debug, Default)]
pub struct Backoff {
    failures: u32,
}

impl Backoff {
    pub fn succeeded(&mut self) {
        self.failures = 0;
    }

    /// Waits, each time longer, and at random, so that many watchers do not come back at the same moment.
    pub async fn wait(&mut self) {
        let longest = FIRST_DELAY.saturating_mul(2u32.saturating_pow(self.failures)).min(MAX_DELAY);
        self.failures = self.failures.saturating_add(1);
        sleep(longest.mul_f64(0.5 + fastrand::f64() / 2.0)).await;
    }

    /// Waits after a failure that may pass, such as a restart of the service. Any other is an error.
    pub async fn wait_after(&mut self, error: Error) -> Result<()> {
        let may_pass = match &error {
            Error::Transport { advice, .. } => *advice == Advice::CheckTheService,
            Error::Timeout { .. } => true,
            Error::Api { status, .. } => matches!(status, 408 | 425 | 429 | 500..),
            _ => false,
        };
        if !may_pass {
            return Err(error);
        }
        tracing::info!("watching a project was interrupted ({error}); trying again");
        self.wait().await;
        Ok(())
    }
}
