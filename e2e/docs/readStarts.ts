import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, shellLinesOf } from '../../scripts/docs/shellLines.ts'

/** A program that a page prints, with the lines that install its packages and run it. */
export type QuickStart = {
  readonly title: string
  readonly install: string
  readonly code: string
  readonly run: string
}

/** Reads the first program of README.md and every one of docs/integrations.md. */
export function readStarts(): QuickStart[] {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const [, ...sections] = readFileSync(join(ROOT, 'docs/integrations.md'), 'utf8').split(/^## /m)
  const texts = [`README.md\n${readme}`, ...sections.filter((section) => /^npx tsx /m.test(section))]
  return texts.map((text) => {
    const lines = shellLinesOf(text)
    return {
      title: text.split('\n')[0] ?? '',
      install: lines.find((line) => line.startsWith('npm install ')) ?? '',
      code: /^```ts\n([\s\S]*?)^```$/m.exec(text)?.[1] ?? '',
      run: lines.find((line) => line.startsWith('npx tsx ')) ?? '',
    }
  })
}
