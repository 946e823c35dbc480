//! Decimal fractions, read eight digits at a time, and the nearest float of each.

/// Any number of this many decimal digits fits into 64 bits.
pub const MAX_DIGITS: usize = 19;
/// Every integer below this is exactly representable as a float.
const EXACT_FLOATS_END: u64 = 1 << f64::MANTISSA_DIGITS;
const POWERS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];
/// Powers of ten, all of them exact.
static FLOAT_POWERS: [f64; MAX_DIGITS + 1] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19];

/// Reads a number such as `-74.12345678901234`, the form of coordinates, at the start of the bytes. Returns the number and its length;
/// `None` for other forms.
#[inline(always)]
pub fn decimal(window: &[u8; 32]) -> Option<(f64, usize)> {
    let eight = |start: usize| u64::from_le_bytes(*window[start..].first_chunk().expect("it starts below 24"));
    let negative = window[0] == b'-';
    let start = usize::from(negative);
    let (integer, start) = match integer_and_point(eight(start))? {
        (integer, 2) => (integer, start + 2),
        (integer, 3) => (integer, start + 3),
        (integer, _) => (integer, start + 4),
    };
    let fraction = eight(start);
    let (digits, decimals, next) = match leading_digits(fraction) {
        8 => {
            let upper = integer * POWERS[8] + eight_digits(fraction);
            let fraction = eight(start + 8);
            let more = leading_digits(fraction);
            if more == 8 {
                return None;
            }
            (upper * POWERS[more] + first_digits(fraction, more), 8 + more, fraction >> (8 * more))
        }
        0 => return None,
        count => (integer * POWERS[count] + first_digits(fraction, count), count, fraction >> (8 * count)),
    };
    // This bit distinguishes lower case from upper case: an exponent follows.
    if next as u8 | 0x20 == b'e' {
        return None;
    }
    Some((nearest(negative, digits, decimals), start + decimals))
}

/// Removes the digits at the start of `text` and appends them to `value`. Returns their number.
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

/// Returns the integer of one to three digits before a decimal point, and its length in bytes, including the point; `None` if it has
/// more digits or a leading zero.
#[inline]
fn integer_and_point(eight: u64) -> Option<(u64, usize)> {
    let byte = |index: u64| (eight >> (8 * index)) as u8;
    let digit = |index: u64| u64::from(byte(index).wrapping_sub(b'0'));
    let is_point = |index: u64| byte(index) == b'.';
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

/// Eight copies of a byte.
pub const fn repeated(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// Counts the digits that eight bytes start with.
#[inline]
fn leading_digits(eight: u64) -> usize {
    // The high bit of each byte below '0', and of each above '9'. Carries and borrows change only the bytes after the first
    // of these.
    let below = eight.wrapping_sub(repeated(b'0'));
    let above = eight.wrapping_add(repeated(0x7F - b'9'));
    ((below | above) & repeated(0x80)).trailing_zeros() as usize / 8
}

/// Returns the number in the first `count` of eight bytes, which are digits.
#[inline]
fn first_digits(eight: u64, count: usize) -> u64 {
    // The shift puts zero bytes before them.
    eight_digits(eight.checked_shl(64 - 8 * count as u32).unwrap_or(0))
}

/// Returns the number in eight digits. Zero bytes count as digits 0.
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
    /// The exponent field of the float that is the product with a 64-bit integer; see [`EXPONENT_OF_64_BITS`].
    exponent: u64,
}

/// The exponent field of a float between 2^63 and 2^64, less one: adding a mantissa with its highest bit adds that one.
const EXPONENT_OF_64_BITS: u64 = 1023 + 63 - 1;

static RECIPROCALS: [Reciprocal; MAX_DIGITS + 1] = reciprocals();

const fn reciprocals() -> [Reciprocal; MAX_DIGITS + 1] {
    let mut all = [Reciprocal { upper: 1 << 63, lower: 0, exponent: EXPONENT_OF_64_BITS }; MAX_DIGITS + 1];
    let (mut power, mut n) = (1_u64, 1);
    while n < all.len() {
        power *= 5;
        // Long division of a power of two by `power`, bit by bit. It starts with the highest power of two below the divisor.
        let length = u64::BITS - power.leading_zeros();
        let (mut quotient, mut remainder, mut bit) = (0_u128, 1_u64 << (length - 1), 0);
        while bit < u128::BITS {
            remainder *= 2;
            quotient *= 2;
            if remainder >= power {
                remainder -= power;
                quotient += 1;
            }
            bit += 1;
        }
        quotient += 1;
        let (upper, lower) = ((quotient >> 64) as u64, quotient as u64);
        all[n] = Reciprocal { upper, lower, exponent: EXPONENT_OF_64_BITS - length as u64 - n as u64 };
        n += 1;
    }
    all
}

/// The float nearest to ±`digits` / 10^`decimals`; of two equally near ones, the one with the even mantissa.
#[inline]
pub fn nearest(negative: bool, digits: u64, decimals: usize) -> f64 {
    let float = if digits < EXACT_FLOATS_END {
        // Both are exact floats, so only the quotient is rounded.
        digits as i64 as f64 / FLOAT_POWERS[decimals]
    } else {
        nearest_by_reciprocal(digits, decimals)
    };
    if negative { -float } else { float }
}

/// Lemire's algorithm ("Number parsing at a gigabyte per second", 2021) for `digits` other than 0. It needs no slower fallback:
/// with so few decimals, 128 bits of the reciprocal decide every rounding.
#[inline]
fn nearest_by_reciprocal(digits: u64, decimals: usize) -> f64 {
    let Reciprocal { upper, lower, exponent } = RECIPROCALS[decimals];
    let shift = digits.leading_zeros();
    let digits = u128::from(digits << shift);
    let mut product = digits * u128::from(upper);
    // The lower half of the reciprocal adds less than one to the upper half of the product. That matters only where it carries
    // into the bits that are kept.
    if (product >> 64) & 0x1FF == 0x1FF {
        product += (digits * u128::from(lower)) >> 64;
    }
    let (upper, lower) = ((product >> 64) as u64, product as u64);
    // 54 bits: 53 for the float, and one to round by.
    let highest = upper >> 63;
    let unused = highest + 9;
    let mut mantissa = upper >> unused;
    // Only quotients by the smallest powers can lie half way between two floats; here the lower of the two is even.
    if lower <= 1 && decimals <= 4 && mantissa & 3 == 1 && mantissa << unused == upper {
        mantissa -= 1;
    }
    let mantissa = (mantissa + (mantissa & 1)) >> 1;
    let exponent = exponent + highest - u64::from(shift);
    // Floats leave out the highest bit of the mantissa: here it adds one to the exponent, or two where rounding up carried into
    // the next bit.
    f64::from_bits((exponent << (f64::MANTISSA_DIGITS - 1)) + mantissa)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn assert_nearest(digits: u64, decimals: usize) {
        let expected: f64 = format!("{digits}e-{decimals}").parse().unwrap();
        assert_eq!(nearest(false, digits, decimals).to_bits(), expected.to_bits(), "{digits}e-{decimals}");
        assert_eq!(nearest(true, digits, decimals).to_bits(), (-expected).to_bits(), "-{digits}e-{decimals}");
        if digits > 0 {
            assert_eq!(nearest_by_reciprocal(digits, decimals).to_bits(), expected.to_bits(), "{digits}e-{decimals}");
        }
    }

    #[test]
    fn the_nearest_float_is_found_at_the_limits_of_digits_and_powers() {
        let powers_of_two = (0..64).map(|bit| 1_u64 << bit);
        let powers_of_ten = (0..=MAX_DIGITS).map(|zeros| 10_u64.pow(zeros as u32));
        let around =
            powers_of_two.chain(powers_of_ten).flat_map(|power| power.saturating_sub(2)..=power.saturating_add(2));
        for digits in around.chain([0, u64::MAX]) {
            (0..=MAX_DIGITS).for_each(|decimals| assert_nearest(digits, decimals));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn the_nearest_float_is_the_one_that_the_standard_library_reads(digits: u64, drop in 0..64, decimals in 0..=MAX_DIGITS) {
            assert_nearest(digits >> drop, decimals);
        }

        /// Half way, up to a power of two, between two neighbouring floats.
        #[test]
        fn of_two_equally_near_floats_the_even_one_is_chosen(float in 1_u64 << 52..1 << 53, decimals in 0..=4_usize) {
            let digits = (2 * float + 1) * 5_u64.pow(decimals as u32);
            (digits - 1..=digits + 1).for_each(|digits| assert_nearest(digits, decimals));
        }
    }
}
