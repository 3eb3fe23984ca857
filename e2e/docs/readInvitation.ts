import { mkdtemp, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../../scripts/docs/shellLines.ts'

/** Instructions of the demonstration for an agent to join. */
export type Invitation = {
  /** Content of the `.env` file to save. */
  readonly settings: string
  /** The setting `ENDPOINT_URL`. */
  readonly endpoint: string
  /** Shell line that runs an agent. */
  readonly command: string
  /** Shell line that asks the service about the endpoint. */
  readonly check: string
}

/** Reads the invitation from the output of the demonstration. */
export function readInvitation(output: string): Invitation {
  const [, settings = ''] = /Save these lines as \.env .*:\n\n([\s\S]*?)\n\n/.exec(output) ?? []
  const [, endpoint = ''] = /^ENDPOINT_URL=(.+)$/m.exec(settings) ?? []
  const [, command = ''] = /in another terminal:\n\n(.+)\n/.exec(output) ?? []
  const [, check = ''] = /stands for npx .*:\n\n(.+)\n/.exec(output) ?? []
  return { settings, endpoint, command, check }
}

/** Makes a folder that stands for the root of a clone, where the settings are saved. */
export async function makeClone({ settings }: Invitation): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-clone-'))
  for (const name of ['package.json', 'scripts', 'examples']) {
    await symlink(join(ROOT, name), join(folder, name))
  }
  await writeFile(join(folder, '.env'), settings)
  return folder
}
