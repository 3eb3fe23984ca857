import { domainToUnicode } from 'node:url'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodePunycode } from './decodePunycode.ts'
import { describeHost, isInternational, showHost, skeletonOf } from './hostNames.ts'

const hostOf = (name: string) => new URL(`https://${name}/`).host

test('default: names are decoded beside their ASCII form, and mixed scripts are said', () => {
  expect(describeHost('api.example.com')).toBe('api.example.com')
  expect(describeHost(hostOf('bücher.example:8443'))).toBe('xn--bcher-kva.example:8443 (bücher.example:8443)')
  expect(describeHost(hostOf('p\u0430ypal.example'))).toBe(
    'xn--pypal-4ve.example (p\u0430ypal.example, mixes Latin and Cyrillic)',
  )
})

test('behavior: scripts that one language writes together are not mixed, and a Cyrillic label under a Latin domain neither', () => {
  for (const name of ['пример.com', 'サンプルとlatin漢字.jp', '한국漢.kr', 'דוגמה.example', 'ça-va.fr'])
    expect(showHost(hostOf(name)).mixed).toEqual([])
  expect(showHost(hostOf('\u03b1\u0430.example')).mixed).toEqual(['Greek', 'Cyrillic'])
})

test('default: look-alikes have one skeleton, accented letters keep their own', () => {
  const skeleton = (name: string) => skeletonOf(hostOf(name))
  expect(skeleton('p\u0430ypal.example')).toBe(skeleton('paypal.example'))
  expect(skeleton('\u0430\u0440\u0440\u04cf\u0435.com:8443')).toBe(skeleton('apple.com'))
  expect(skeleton('g\u043e\u043egle.example')).toBe(skeleton('google.example'))
  expect(skeleton('bücher.example')).not.toBe(skeleton('bucher.example'))
  expect(skeleton('пример.example')).not.toBe(skeleton('primer.example'))
})

test('behavior: names with invisible or reordering characters, piled marks or broken Punycode are shown in ASCII alone', () => {
  for (const label of [
    'a\u202eb',
    'a\u200bb',
    'a\u2066b',
    'a\u0301\u0302\u0303\u0304\u0305',
    '\u0301a',
    'a\u3000b',
    'a\u2024b',
  ]) {
    // As a hostile directory could write it: no parser of URLs lets these through.
    const host = `${encode(label)}.example`
    expect([host, showHost(host).unicode]).toEqual([host, null])
  }
  expect(showHost('xn--\u00ff.example').unicode).toBe(null)
  for (const broken of ['xn--99999999999.example', 'xn--a-.example', 'xn--.example'])
    expect(describeHost(broken).startsWith(broken)).toBe(true)
})

test('behavior: Punycode is decoded as Node decodes it', () => {
  const letters = fc.constantFrom(...'abcхyzяüñßłשα漢字かな한한글-0189')
  fc.assert(
    fc.property(fc.array(letters, { minLength: 1, maxLength: 20 }), (list) => {
      const name = `${list.join('')}.example`
      if (!URL.canParse(`https://${name}/`)) return
      const host = hostOf(name)
      const decoded = host
        .split('.')
        .map((label) => (label.startsWith('xn--') ? decodePunycode(label.slice(4)) : label))
      expect(decoded.join('.')).toBe(domainToUnicode(host))
      expect(isInternational(host)).toBe(host !== domainToUnicode(host))
    }),
  )
})

test('behavior: hostile labels are read within bounds', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 63 }), (text) => {
      showHost(`xn--${text}`)
      skeletonOf(`xn--${text}`)
      decodePunycode(text)
    }),
  )
})

/** Encodes a label whatever it holds, as RFC 3492 does. */
function encode(label: string): string {
  const points = [...label].map((letter) => letter.codePointAt(0) ?? 0)
  const basic = points.filter((code) => code < 128)
  let out = String.fromCharCode(...basic) + (basic.length > 0 ? '-' : '')
  let [n, delta, bias, handled] = [128, 0, 72, basic.length]
  const digit = (value: number) => String.fromCharCode(value < 26 ? value + 97 : value + 22)
  while (handled < points.length) {
    const m = Math.min(...points.filter((code) => code >= n))
    delta += (m - n) * (handled + 1)
    n = m
    for (const code of points) {
      if (code < n) delta += 1
      if (code !== n) continue
      let q = delta
      for (let k = 36; ; k += 36) {
        const t = Math.min(26, Math.max(1, k - bias))
        if (q < t) break
        out += digit(t + ((q - t) % (36 - t)))
        q = Math.floor((q - t) / (36 - t))
      }
      out += digit(q)
      let d = Math.floor(delta / (handled === basic.length ? 700 : 2))
      d += Math.floor(d / (handled + 1))
      let k = 0
      for (; d > 455; k += 36) d = Math.floor(d / 35)
      bias = k + Math.floor((36 * d) / (d + 38))
      delta = 0
      handled += 1
    }
    delta += 1
    n += 1
  }
  return `xn--${out}`
}
