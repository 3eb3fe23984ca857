const BASE = 36
const T_MIN = 1
const T_MAX = 26
const SKEW = 38
const DAMP = 700
const INITIAL_BIAS = 72
const INITIAL_CODE = 128
const MAX_CODE = 0x10ffff

/**
 * Decodes a Punycode label without its `xn--`. Returns undefined if it is not valid.
 *
 * Source: RFC 3492, section 6.2.
 */
export function decodePunycode(label: string): string | undefined {
  const end = label.lastIndexOf('-')
  const letters = end < 0 ? [] : [...label.slice(0, end)]
  const digits = label.slice(end + 1)
  let code = INITIAL_CODE
  let bias = INITIAL_BIAS
  let place = 0
  let next = 0
  while (next < digits.length) {
    const begin = place
    let weight = 1
    for (let k = BASE; ; k += BASE) {
      const digit = digitAt(digits, next)
      next += 1
      place += digit * weight
      if (!Number.isSafeInteger(place)) return undefined
      const threshold = Math.min(T_MAX, Math.max(T_MIN, k - bias))
      if (digit < threshold) break
      weight *= BASE - threshold
    }
    const length = letters.length + 1
    bias = adapt(place - begin, length, begin === 0)
    code += Math.floor(place / length)
    place %= length
    if (code > MAX_CODE) return undefined
    letters.splice(place, 0, String.fromCodePoint(code))
    place += 1
  }
  return letters.join('')
}

/** Returns the value of a digit; NaN if it is none. */
function digitAt(digits: string, index: number): number {
  const digit = digits[index] ?? ''
  if (/^[a-z]$/.test(digit)) return digit.charCodeAt(0) - 97
  return /^[0-9]$/.test(digit) ? digit.charCodeAt(0) - 22 : Number.NaN
}

function adapt(distance: number, length: number, isFirst: boolean): number {
  let delta = Math.floor(distance / (isFirst ? DAMP : 2))
  delta += Math.floor(delta / length)
  let k = 0
  for (; delta > ((BASE - T_MIN) * T_MAX) / 2; k += BASE) delta = Math.floor(delta / (BASE - T_MIN))
  return k + Math.floor(((BASE - T_MIN + 1) * delta) / (delta + SKEW))
}
