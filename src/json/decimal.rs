//! Decimal fractions, read eight digits at a time, and the float that is nearest to each.

/// As many digits surely fit into 64 bits.
pub const MAX_DIGITS: usize = 19;
/// Whole numbers below are floats.
const FLOATS_END: u64 = 1 << f64::MANTISSA_DIGITS;
const POWERS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];
/// All of them are floats.
static FLOAT_POWERS: [f64; MAX_DIGITS + 1] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19];

/// Reads a number such as `-74.12345678901234`, as coordinates are, and tells its length; none where the bytes begin with
/// anything else.
#[inline(always)]
pub fn decimal(window: &[u8; 32]) -> Option<(f64, usize)> {
    let eight = |at: usize| u64::from_le_bytes(*window[at..].first_chunk().expect("at is below 24"));
    let negative = window[0] == b'-';
    let start = usize::from(negative);
    let (whole, start) = match whole_and_point(eight(start))? {
        (whole, 2) => (whole, start + 2),
        (whole, 3) => (whole, start + 3),
        (whole, _) => (whole, start + 4),
    };
    let run = eight(start);
    let (digits, decimals, next) = match leading_digits(run) {
        8 => {
            let upper = whole * POWERS[8] + eight_digits(run);
            let run = eight(start + 8);
            let more = leading_digits(run);
            if more == 8 {
                return None;
            }
            (upper * POWERS[more] + first_digits(run, more), 8 + more, run >> (8 * more))
        }
        0 => return None,
        count => (whole * POWERS[count] + first_digits(run, count), count, run >> (8 * count)),
    };
    // Small and great letters differ in this bit.
    if next as u8 | 0x20 == b'e' {
        return None;
    }
    Some((nearest(negative, digits, decimals), start + decimals))
}

/// Takes digits off the front of `text`; `value` goes on with them. The number of digits.
#[inline]
pub fn take_digits(text: &mut &[u8], value: &mut u64) -> usize {
    let before = text.len();
    while let Some(eight) = text.first_chunk() {
        let eight = u64::from_le_bytes(*eight);
        let count = leading_digits(eight);
        *value = value.wrapping_mul(POWERS[count]).wrapping_add(first_digits(eight, count));
        *text = &text[count..];
        if count < 8 {
            return before - text.len();
        }
    }
    while let [digit @ b'0'..=b'9', rest @ ..] = text {
        *value = value.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
        *text = rest;
    }
    before - text.len()
}

/// The number of one to three digits that a point follows, without needless zeros, and the number of bytes up to the point.
#[inline]
fn whole_and_point(eight: u64) -> Option<(u64, usize)> {
    let byte = |at: u64| (eight >> (8 * at)) as u8;
    let digit = |at: u64| u64::from(byte(at).wrapping_sub(b'0'));
    let is_point = |at: u64| byte(at) == b'.';
    let (first, second, third) = (digit(0), digit(1), digit(2));
    if is_point(1) {
        return (first <= 9).then_some((first, 2));
    }
    let are_digits = matches!(first, 1..=9) && second <= 9;
    if is_point(2) {
        return are_digits.then_some((first * 10 + second, 3));
    }
    (are_digits && third <= 9 && is_point(3)).then_some((first * 100 + second * 10 + third, 4))
}

/// Eight times the same byte.
pub const fn repeated(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// How many of eight bytes are digits, before the first that is none.
#[inline]
fn leading_digits(eight: u64) -> usize {
    // The highest bit of each byte below '0', and of each above '9'. What is carried or borrowed goes to later bytes only.
    let below = eight.wrapping_sub(repeated(b'0'));
    let above = eight.wrapping_add(repeated(0x7F - b'9'));
    ((below | above) & repeated(0x80)).trailing_zeros() as usize / 8
}

/// The number that the first digits of eight bytes stand for.
#[inline]
fn first_digits(eight: u64, count: usize) -> u64 {
    // Bytes of 0 come in before them.
    eight_digits(eight.checked_shl(64 - 8 * count as u32).unwrap_or(0))
}

/// The number that eight digits stand for; bytes of 0 count as digits 0.
#[inline]
fn eight_digits(eight: u64) -> u64 {
    let ones = eight & repeated(0x0F);
    let pairs = (ones.wrapping_mul(1 + (10 << 8)) >> 8) & 0x00FF_00FF_00FF_00FF;
    let fours = (pairs.wrapping_mul(1 + (100 << 16)) >> 16) & 0x0000_FFFF_0000_FFFF;
    fours.wrapping_mul(1 + (10_000 << 32)) >> 32
}

/// 1 / 5^n, rounded up: the highest 128 bits.
#[derive(Clone, Copy)]
struct Reciprocal {
    upper: u64,
    lower: u64,
    /// Of the product with a number of 64 bits, as [`OF_64_BITS`] is.
    exponent: u64,
}

/// The exponent of 2^63 as floats have it, less the one that their highest bit adds.
const OF_64_BITS: u64 = 1023 + 63 - 1;

static RECIPROCALS: [Reciprocal; MAX_DIGITS + 1] = reciprocals();

const fn reciprocals() -> [Reciprocal; MAX_DIGITS + 1] {
    let mut all = [Reciprocal { upper: 1 << 63, lower: 0, exponent: OF_64_BITS }; MAX_DIGITS + 1];
    let (mut power, mut n) = (1_u64, 1);
    while n < all.len() {
        power *= 5;
        // Long division of a power of two, bit by bit, beginning with the greatest below the divisor.
        let length = u64::BITS - power.leading_zeros();
        let (mut quotient, mut rest, mut bit) = (0_u128, 1_u64 << (length - 1), 0);
        while bit < u128::BITS {
            rest *= 2;
            quotient *= 2;
            if rest >= power {
                rest -= power;
                quotient += 1;
            }
            bit += 1;
        }
        quotient += 1;
        let (upper, lower) = ((quotient >> 64) as u64, quotient as u64);
        all[n] = Reciprocal { upper, lower, exponent: OF_64_BITS - length as u64 - n as u64 };
        n += 1;
    }
    all
}

/// The float nearest to ±`digits` / 10^`decimals`; of two that are as near, the even one.
#[inline]
pub fn nearest(negative: bool, digits: u64, decimals: usize) -> f64 {
    let nearest = if digits < FLOATS_END {
        // The quotient of two floats is rounded once.
        digits as i64 as f64 / FLOAT_POWERS[decimals]
    } else {
        nearest_by_reciprocal(digits, decimals)
    };
    if negative { -nearest } else { nearest }
}

/// The way of Lemire ("Number parsing at a gigabyte per second", 2021), which leaves nothing undecided for so few decimals: 128
/// bits of the reciprocal tell apart all quotients of 64 bits by such a power of five. Not for 0.
#[inline]
fn nearest_by_reciprocal(digits: u64, decimals: usize) -> f64 {
    let Reciprocal { upper, lower, exponent } = RECIPROCALS[decimals];
    let shift = digits.leading_zeros();
    let digits = u128::from(digits << shift);
    let mut product = digits * u128::from(upper);
    // What the lower half adds to this is less than one in the upper half. It counts only where that carries on.
    if (product >> 64) & 0x1FF == 0x1FF {
        product += (digits * u128::from(lower)) >> 64;
    }
    let (upper, lower) = ((product >> 64) as u64, product as u64);
    // 54 bits: those of a float, and one to round by.
    let highest = upper >> 63;
    let unused = highest + 9;
    let mut mantissa = upper >> unused;
    // Half way between two floats are quotients by the smallest powers only; the lower of the two is even here.
    if lower <= 1 && decimals <= 4 && mantissa & 3 == 1 && mantissa << unused == upper {
        mantissa -= 1;
    }
    let mantissa = (mantissa + (mantissa & 1)) >> 1;
    let exponent = exponent + highest - u64::from(shift);
    // The highest bit of the mantissa, which floats leave out, adds one to the exponent, two where it was rounded up to the next.
    f64::from_bits((exponent << (f64::MANTISSA_DIGITS - 1)) + mantissa)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_nearest(digits: u64, decimals: usize) {
        let expected: f64 = format!("{digits}e-{decimals}").parse().unwrap();
        assert_eq!(nearest(false, digits, decimals).to_bits(), expected.to_bits(), "{digits}e-{decimals}");
        assert_eq!(nearest(true, digits, decimals).to_bits(), (-expected).to_bits(), "-{digits}e-{decimals}");
        if digits > 0 {
            assert_eq!(nearest_by_reciprocal(digits, decimals).to_bits(), expected.to_bits(), "{digits}e-{decimals}");
        }
    }

    #[test]
    fn it_is_right_where_digits_and_powers_are_at_their_limits() {
        let powers_of_two = (0..64).map(|bit| 1_u64 << bit);
        let powers_of_ten = (0..=MAX_DIGITS).map(|zeros| 10_u64.pow(zeros as u32));
        let around =
            powers_of_two.chain(powers_of_ten).flat_map(|power| power.saturating_sub(2)..=power.saturating_add(2));
        for digits in around.chain([0, u64::MAX]) {
            (0..=MAX_DIGITS).for_each(|decimals| is_nearest(digits, decimals));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn it_is_what_the_standard_library_reads(digits: u64, drop in 0..64, decimals in 0..=MAX_DIGITS) {
            is_nearest(digits >> drop, decimals);
        }

        /// By a power of two, the middle between two floats that are neighbours.
        #[test]
        fn of_two_that_are_as_near_it_is_the_even_one(float in 1_u64 << 52..1 << 53, decimals in 0..=4_usize) {
            let digits = (2 * float + 1) * 5_u64.pow(decimals as u32);
            (digits - 1..=digits + 1).for_each(|digits| is_nearest(digits, decimals));
        }
    }
}
