//! When to ask again, and how long to wait before.

use std::time::Duration;

use jiff::Timestamp;
use reqwest::header::{HeaderMap, RETRY_AFTER};

const FIRST_WAIT: Duration = Duration::from_millis(100);
const MAX_WAIT: Duration = Duration::from_secs(20);

/// Statuses that may be another on the next try of a read.
pub fn is_retryable(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500 | 502 | 503 | 504)
}

/// Whether the service turned a request away without looking at it, so that a write can be sent again.
pub fn is_safe_to_resend(status: u16, headers: &HeaderMap) -> bool {
    status == 429 || status == 503 && headers.contains_key(RETRY_AFTER)
}

/// The wait before try number `attempt` (the second is 1): what the service asked for, else doubling with full jitter.
pub fn wait(attempt: u32, headers: Option<&HeaderMap>) -> Duration {
    let asked = headers.and_then(|headers| retry_after(headers, Timestamp::now()));
    asked.unwrap_or_else(|| {
        let most = FIRST_WAIT.saturating_mul(2u32.saturating_pow(attempt)).min(MAX_WAIT);
        most.mul_f64(fastrand::f64())
    })
}

/// `Retry-After` in both its forms, seconds or a date (RFC 9110, section 10.2.3), never longer than the longest wait.
fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let wait = match text.parse() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => {
            let until = jiff::fmt::rfc2822::parse(text).ok()?.timestamp();
            Duration::try_from(until.duration_since(now)).unwrap_or_default()
        }
    };
    Some(wait.min(MAX_WAIT))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(text: &'static str) -> Option<Duration> {
        let headers = HeaderMap::from_iter([(RETRY_AFTER, text.parse().unwrap())]);
        retry_after(&headers, "2026-03-02T09:00:00Z".parse().unwrap())
    }

    #[test]
    fn the_service_may_ask_in_seconds_or_with_a_date() {
        assert_eq!(after("7"), Some(Duration::from_secs(7)));
        assert_eq!(after("Mon, 02 Mar 2026 09:00:09 GMT"), Some(Duration::from_secs(9)));
        assert_eq!(after("Mon, 02 Mar 2026 08:00:00 GMT"), Some(Duration::ZERO));
        assert_eq!(after("3600"), Some(MAX_WAIT));
        assert_eq!(after("soon"), None);
    }

    #[test]
    fn without_being_asked_waits_double_up_to_a_limit() {
        for attempt in 1..40 {
            assert!(wait(attempt, None) <= MAX_WAIT.min(FIRST_WAIT * 2u32.saturating_pow(attempt.min(20))));
        }
    }
}
