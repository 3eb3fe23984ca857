// Runs one benchmark: `npm run bench -- <name>`. The last line of stdout is its figures as JSON.
import { runNamed } from '../e2e/runNamed.ts'

await runNamed(new URL('./', import.meta.url), process.argv.slice(2))
