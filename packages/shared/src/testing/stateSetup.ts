import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

// Default ledgers of guards are kept for one test file, so that no real budget counts play money.
const folder = mkdtempSync(join(tmpdir(), 'touchstone-state-'))
process.env.XDG_STATE_HOME = folder
afterAll(() => rmSync(folder, { recursive: true, force: true }))
