import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test('default: every class of the stylesheet is used on a page', () => {
  const style = readFileSync(new URL('./style.css', import.meta.url), 'utf8').replace(/\/\*.*?\*\//gs, '')
  const selectors = style.replace(/\{[^{}]*\}/g, '{}')
  const classes = new Set([...selectors.matchAll(/\.([a-z][\w-]*)/g)].map(([, name = '']) => name))
  const folders = ['../site', '../http'].map((path) => new URL(path, import.meta.url).pathname)
  const source = folders.flatMap(readSources).join('\n')
  // Classes added by the page script.
  const named = [
    ...source.matchAll(/(?:class(?:Name)?|share)\s*[=:]\s*(?:"([^"]*)"|'([^']*)'|\{([^}]*\}?[^}]*)\})/g),
  ]
  const added = [...source.matchAll(/(?:createCopyButton|classList\.\w+)\(.*/g)].map(([text]) => text)
  const words = new Set(
    [...named.flatMap(([, ...texts]) => texts), ...added].flatMap((text = '') => text.split(/[^\w-]+/)),
  )
  // Classes of verdicts, and of the pins and receivers of a timeline, are composed.
  const unused = [...classes].filter((name) => !/^([vp]-|r\d$)/.test(name) && !words.has(name))
  expect(unused).toEqual([])
})

const readSources = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !/\.test\.|\/testing\//.test(path))
    .map((path) => readFileSync(join(folder, path), 'utf8'))
