// Writes src/facts/hostNames/confusables.json from Unicode's confusables.txt (https://www.unicode.org/Public/security/latest/),
// which is under the Unicode License v3 (Unicode-3.0).
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
/** Host names hold lower case and normalised letters alone. */
const isInNames = (letter) =>
  letter.normalize('NFKC').toLowerCase() === letter && letter === letter.normalize('NFD')

const byTarget = new Map()
for (const line of source.split('\n')) {
  const [from, target] = line.replace(/^\uFEFF|#.*/g, '').split(';')
  if (target === undefined) continue
  const letter = decode(from)
  const shown = decode(target)
  if (!isInNames(letter) || !/^[0-9A-Za-z.-]+$/.test(shown)) continue
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
const about = `Written by writeConfusables.mjs from Unicode's confusables.txt, version ${version}, under the Unicode License v3: ASCII texts, and the code points in hex of the characters of host names that look like them.`
const text = JSON.stringify({ about, letters: Object.fromEntries(letters) }, null, 2)
writeFileSync(new URL('./src/facts/hostNames/confusables.json', import.meta.url), `${text}\n`)
