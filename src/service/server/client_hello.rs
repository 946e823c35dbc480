//! The ticket in the first message of a TLS client, read without any cryptography.

/// The message is not there to its end.
#[derive(Debug, PartialEq, Eq)]
pub struct Incomplete;

const HANDSHAKE_RECORD: u8 = 22;
const CLIENT_HELLO: u8 = 1;
const SESSION_TICKET: u16 = 35;
const PRE_SHARED_KEY: u16 = 41;

/// The first ticket in a client's first message (RFC 8446, 4.2.11; RFC 5077 for TLS 1.2). `None` if it has none, or is no such message.
pub fn ticket_in(bytes: &[u8]) -> Result<Option<&[u8]>, Incomplete> {
    let mut record = Bytes(bytes);
    match record.number(1) {
        Some(kind) if kind == usize::from(HANDSHAKE_RECORD) => {}
        Some(_) => return Ok(None),
        None => return Err(Incomplete),
    }
    let Some(_version) = record.number(2) else { return Err(Incomplete) };
    let Some(message) = record.counted(2) else { return Err(Incomplete) };
    Ok(ticket_in_hello(message))
}

fn ticket_in_hello(message: &[u8]) -> Option<&[u8]> {
    let mut message = Bytes(message);
    message.number(1).filter(|kind| *kind == usize::from(CLIENT_HELLO))?;
    let mut hello = Bytes(message.counted(3)?);
    // The version and the random bytes; session, ciphers and compressions.
    hello.take(2 + 32)?;
    hello.counted(1)?;
    hello.counted(2)?;
    hello.counted(1)?;
    let mut extensions = Bytes(hello.counted(2)?);
    while let Some(kind) = extensions.number(2) {
        let content = extensions.counted(2)?;
        if kind == usize::from(SESSION_TICKET) && !content.is_empty() {
            return Some(content);
        }
        if kind == usize::from(PRE_SHARED_KEY) {
            let mut identities = Bytes(Bytes(content).counted(2)?);
            return identities.counted(2);
        }
    }
    None
}

struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self, bytes: usize) -> Option<usize> {
        Some(self.take(bytes)?.iter().fold(0, |number, byte| number << 8 | usize::from(*byte)))
    }

    /// Bytes after their count, which has so many bytes itself.
    fn counted(&mut self, bytes: usize) -> Option<&'b [u8]> {
        let count = self.number(bytes)?;
        self.take(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(bytes: usize, content: &[u8]) -> Vec<u8> {
        [&content.len().to_be_bytes()[8 - bytes..], content].concat()
    }

    fn hello(extensions: &[(u16, Vec<u8>)]) -> Vec<u8> {
        let extensions =
            extensions.iter().flat_map(|(kind, content)| [&kind.to_be_bytes()[..], &counted(2, content)].concat());
        let extensions: Vec<u8> = extensions.collect();
        let body = [
            &[3, 3][..],
            &[7; 32],
            &counted(1, &[1; 32]),
            &counted(2, &[0, 1]),
            &counted(1, &[0]),
            &counted(2, &extensions),
        ];
        let message = [&[CLIENT_HELLO][..], &counted(3, &body.concat())].concat();
        [&[HANDSHAKE_RECORD, 3, 1][..], &counted(2, &message)].concat()
    }

    #[test]
    fn the_ticket_of_either_version_is_found() {
        let psk = [counted(2, &[counted(2, b"ticket"), vec![0; 4]].concat()), counted(2, &[0; 33])].concat();
        assert_eq!(ticket_in(&hello(&[(0, vec![1]), (PRE_SHARED_KEY, psk)])), Ok(Some(&b"ticket"[..])));
        assert_eq!(ticket_in(&hello(&[(SESSION_TICKET, b"old".to_vec())])), Ok(Some(&b"old"[..])));
        assert_eq!(ticket_in(&hello(&[(SESSION_TICKET, vec![]), (0, vec![])])), Ok(None));
    }

    #[test]
    fn any_other_bytes_have_no_ticket() {
        let psk = [counted(2, &[counted(2, b"ticket"), vec![0; 4]].concat()), counted(2, &[0; 33])].concat();
        let whole = hello(&[(PRE_SHARED_KEY, psk)]);
        for end in 0..whole.len() {
            assert_eq!(ticket_in(&whole[..end]), Err(Incomplete));
        }
        for at in 0..whole.len() {
            let mut other = whole.clone();
            other[at] ^= 0xff;
            let _ = ticket_in(&other);
        }
        assert_eq!(ticket_in(b"GET / HTTP/1.1\r\n"), Ok(None));
    }
}
