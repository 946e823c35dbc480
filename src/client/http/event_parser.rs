//! Parses server-sent events (`text/event-stream`) as they arrive. It is our own, because the crates for it bring a client with
//! retries of its own; the format is a page of the HTML standard.

/// More bytes without the end of an event are an error.
const MAX_EVENT_BYTES: usize = 1024 * 1024;

/// An event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ServerEvent {
    /// What a client that connects again says it has seen. `None` if the event has none of its own.
    pub id: Option<String>,
    /// `message` if the service gives it no name.
    pub name: String,
    pub data: String,
}

/// An event with more than [`MAX_EVENT_BYTES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event has more than {MAX_EVENT_BYTES} bytes")]
pub struct EventTooLarge;

/// Takes bytes in any division and gives events.
#[derive(Debug, Default)]
pub struct EventParser {
    received: Vec<u8>,
    /// How many bytes of `received` have been parsed.
    parsed: usize,
    event: ServerEvent,
    data_lines: usize,
    /// A line ended with CR, so that a LF that follows belongs to its end.
    ended_with_cr: bool,
}

impl EventParser {
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), EventTooLarge> {
        self.received.drain(..self.parsed);
        self.parsed = 0;
        self.received.extend_from_slice(bytes);
        // What came at once may be many events; only what belongs to one of them counts.
        let rest = self.received.len().saturating_sub(bytes.len());
        if rest + self.event.data.len() > MAX_EVENT_BYTES { Err(EventTooLarge) } else { Ok(()) }
    }

    /// The next event that is whole.
    pub fn next_event(&mut self) -> Option<ServerEvent> {
        while let Some(line) = self.next_line() {
            if !line.is_empty() {
                self.add_line(&line);
                continue;
            }
            let mut event = std::mem::take(&mut self.event);
            if std::mem::take(&mut self.data_lines) > 0 || !event.name.is_empty() {
                if event.name.is_empty() {
                    event.name = "message".to_owned();
                }
                return Some(event);
            }
        }
        None
    }

    /// The next whole line, without its end: CR, LF or both.
    fn next_line(&mut self) -> Option<String> {
        if self.ended_with_cr && self.received.get(self.parsed) == Some(&b'\n') {
            self.parsed += 1;
        }
        let rest = &self.received[self.parsed..];
        let length = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n'))?;
        self.ended_with_cr = rest[length] == b'\r';
        let line = String::from_utf8_lossy(&rest[..length]).into_owned();
        self.parsed += length + 1;
        Some(line)
    }

    fn add_line(&mut self, line: &str) {
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => self.event.name = value.to_owned(),
            "id" if !value.contains('\0') => self.event.id = Some(value.to_owned()),
            "data" => {
                if self.data_lines > 0 {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
                self.data_lines += 1;
            }
            // A comment, which keeps the connection alive, has an empty name; other fields mean nothing.
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(chunks: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Vec<ServerEvent> {
        let mut parser = EventParser::default();
        let mut events = Vec::new();
        for chunk in chunks {
            parser.feed(chunk.as_ref()).unwrap();
            events.extend(std::iter::from_fn(|| parser.next_event()));
        }
        events
    }

    fn event(id: Option<&str>, name: &str, data: &str) -> ServerEvent {
        ServerEvent { id: id.map(str::to_owned), name: name.to_owned(), data: data.to_owned() }
    }

    #[test]
    fn an_event_has_a_name_an_id_and_lines_of_data() {
        let text = ": 15 s\n\nid: 7\nevent: diagram\ndata: {\ndata:}\n\ndata: x\n\nid: 8\nevent: reset\n\n";
        let expected =
            [event(Some("7"), "diagram", "{\n}"), event(None, "message", "x"), event(Some("8"), "reset", "")];
        assert_eq!(events([text]), expected);
    }

    #[test]
    fn bytes_may_arrive_in_any_division_and_lines_end_in_three_ways() {
        let text = "id: 1\r\nevent: tag\r\ndata: é\r\n\r\nid: 2\rdata: b\r\rid: 3\ndata: c\n\n";
        let whole = events([text]);
        assert_eq!(
            whole,
            [event(Some("1"), "tag", "é"), event(Some("2"), "message", "b"), event(Some("3"), "message", "c")]
        );
        for size in 1..text.len() {
            assert_eq!(events(text.as_bytes().chunks(size)), whole, "{size} bytes at a time");
        }
    }

    #[test]
    fn an_event_without_an_end_is_not_kept_for_ever() {
        let mut parser = EventParser::default();
        let line = format!("data: {}\n", "x".repeat(10_000));
        let refused = (0..1_000).find(|_| {
            let fed = parser.feed(line.as_bytes());
            assert_eq!(parser.next_event(), None);
            fed.is_err()
        });
        assert!(refused.is_some_and(|lines| lines <= 110));
    }
}
