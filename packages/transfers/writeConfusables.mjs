// Writes src/findings/confusables.json from Unicode's confusables.txt (https://www.unicode.org/Public/security/latest/).
// Usage: node writeConfusables.mjs confusables.txt
import { readFileSync, writeFileSync } from 'node:fs'

const source = readFileSync(process.argv[2], 'utf8')
const version = /# Version: ([\d.]+)/.exec(source)?.[1]
if (version === undefined) throw new Error('this is not confusables.txt')

const decode = (field) =>
  String.fromCodePoint(
    ...field
      .trim()
      .split(' ')
      .map((code) => Number.parseInt(code, 16)),
  )
const base = (letters) => letters.normalize('NFKD').replace(/\p{M}/gu, '')

// Well-known symbols are ASCII, so other targets can match nothing. What decomposes needs no entry.
const byTarget = new Map()
for (const line of source.split('\n')) {
  const [from, target] = line.replace(/^\uFEFF|#.*/g, '').split(';')
  if (target === undefined) continue
  const letter = decode(from)
  const shown = base(decode(target))
  if (base(letter) !== letter || shown === letter || !/^[0-9A-Za-z]+$/.test(shown)) continue
  byTarget.set(shown, [...(byTarget.get(shown) ?? []), letter.codePointAt(0)])
}

const letters = [...byTarget]
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([shown, codes]) => [
    shown,
    codes
      .sort((a, b) => a - b)
      .map((code) => code.toString(16))
      .join(' '),
  ])
const about = `Written by writeConfusables.mjs from Unicode's confusables.txt, version ${version}: ASCII letters and digits, and the code points in hex of the characters that look like them without their marks.`
const text = JSON.stringify({ about, letters: Object.fromEntries(letters) }, null, 2)
writeFileSync(new URL('./src/findings/confusables.json', import.meta.url), `${text}\n`)
