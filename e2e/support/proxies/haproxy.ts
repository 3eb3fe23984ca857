import { isInstalled } from './installed.ts'
import { type RunningProxy, startProxy } from './startProxy.ts'

/**
 * Starts haproxy in front of servers, with the timeouts that its manual asks for and no other setting.
 * Installs it from apt if it is missing and this is root.
 * @returns undefined if there is no haproxy
 */
export async function startHaproxy(upstreams: readonly string[]): Promise<RunningProxy | undefined> {
  if (!isInstalled('haproxy')) return undefined
  const command = (_folder: string, config: string) => ['haproxy', '-db', '-f', config] as const
  return startProxy({ configure, command }, upstreams, false)
}

function configure(_folder: string, upstreams: readonly string[], ports: readonly number[]): string {
  const servers = upstreams.map(
    (origin, index) => `listen server${index}
  bind 127.0.0.1:${ports[index]}
  server upstream ${new URL(origin).host}
`,
  )
  return `defaults
  mode http
  timeout connect 5s
  timeout client 50s
  timeout server 50s

${servers.join('\n')}`
}
