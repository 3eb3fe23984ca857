// Runs one campaign: `npm run campaign -- <name> [--short] [--file PATH]`. The last line of stdout is its figures as JSON.
import { recordRun } from './contract/recordRun.ts'
import { runNamed } from './runNamed.ts'

await runNamed(new URL('./campaigns/', import.meta.url), process.argv.slice(2), recordRun)
