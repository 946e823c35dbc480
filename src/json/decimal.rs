//! The nearest float of a decimal fraction, by a multiplication or two.

/// As many digits surely fit into 64 bits.
pub const MOST_DIGITS: usize = 19;

/// 1 / 5^n: `bits` / 2^`scale`, rounded up, with the highest of the bits set.
#[derive(Clone, Copy)]
struct Reciprocal {
    bits: u128,
    scale: i64,
}

const RECIPROCALS: [Reciprocal; MOST_DIGITS + 1] = reciprocals();

const fn reciprocals() -> [Reciprocal; MOST_DIGITS + 1] {
    let mut all = [Reciprocal { bits: 1 << 127, scale: 127 }; MOST_DIGITS + 1];
    let (mut power, mut n) = (1_u64, 1);
    while n < all.len() {
        power *= 5;
        // Long division of a power of two, bit by bit, beginning with the greatest below the divisor.
        let length = u64::BITS - power.leading_zeros();
        let (mut quotient, mut rest, mut bit) = (0, 1_u64 << (length - 1), 0);
        while bit < u128::BITS {
            rest *= 2;
            quotient *= 2;
            if rest >= power {
                rest -= power;
                quotient += 1;
            }
            bit += 1;
        }
        all[n] = Reciprocal { bits: quotient + 1, scale: (length + u128::BITS - 1) as i64 };
        n += 1;
    }
    all
}

/// The float nearest to `digits` / 10^`decimals`; of two that are as near, the even one.
///
/// It is the way of Lemire ("Number parsing at a gigabyte per second", 2021), which leaves nothing undecided for so few
/// decimals: 128 bits of the reciprocal tell apart all quotients of 64 bits by such a power of five.
#[inline]
pub fn nearest(digits: u64, decimals: usize) -> f64 {
    if digits == 0 {
        return 0.0;
    }
    let Reciprocal { bits, scale } = RECIPROCALS[decimals];
    let shift = digits.leading_zeros();
    let digits = u128::from(digits << shift);
    let mut product = digits * (bits >> 64);
    // What the lower half adds to this is less than one in the upper half. It counts only where that carries on.
    if (product >> 64) & 0x1FF == 0x1FF {
        product += (digits * (bits & u128::from(u64::MAX))) >> 64;
    }
    let (upper, lower) = ((product >> 64) as u64, product as u64);
    // 54 bits: those of a float, and one to round by.
    let unused = (upper >> 63) + 9;
    let mut mantissa = upper >> unused;
    // Half way between two floats are quotients by the smallest powers only; the lower of the two is even here.
    let half_way = lower <= 1 && decimals <= 4 && mantissa << unused == upper;
    if half_way && mantissa & 3 == 1 {
        mantissa -= 1;
    }
    let mantissa = (mantissa + (mantissa & 1)) >> 1;
    let exponent = 129 - scale - decimals as i64 - i64::from(shift) + unused as i64;
    // The highest bit of the mantissa, which floats leave out, adds one to the exponent, two where it was rounded up to the next.
    f64::from_bits((((exponent + 1074) as u64) << (f64::MANTISSA_DIGITS - 1)) + mantissa)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_nearest(digits: u64, decimals: usize) {
        let expected: f64 = format!("{digits}e-{decimals}").parse().unwrap();
        assert_eq!(nearest(digits, decimals).to_bits(), expected.to_bits(), "{digits}e-{decimals}");
    }

    #[test]
    fn it_is_right_where_digits_and_powers_are_at_their_limits() {
        let powers_of_two = (0..64).map(|bit| 1_u64 << bit);
        let powers_of_ten = (0..=MOST_DIGITS).map(|zeros| 10_u64.pow(zeros as u32));
        let around =
            powers_of_two.chain(powers_of_ten).flat_map(|power| power.saturating_sub(2)..=power.saturating_add(2));
        for digits in around.chain([0, u64::MAX]) {
            (0..=MOST_DIGITS).for_each(|decimals| is_nearest(digits, decimals));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn it_is_what_the_standard_library_reads(digits: u64, drop in 0..64, decimals in 0..=MOST_DIGITS) {
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
