// Entry point of the processes that `simulateInParallel` starts.
import { allHosts } from './hosts.ts'
import { measureLong } from './measureLong.ts'
import { simulate } from './simulate.ts'
import { PARTS, type Task } from './simulateInParallel.ts'

const { part, short, days, seed } = JSON.parse(process.argv[2] ?? '') as Task

/** Returns the hosts of every other kind. Hosts of one kind may belong together. */
async function hostsOfPart() {
  const hosts = await allHosts(days, { one: short })
  const kinds = [...new Set(hosts.map(({ kind }) => kind))]
  return hosts.filter(({ kind }) => kinds.indexOf(kind) % PARTS === part)
}

process.send?.(
  part === 'long' ? await measureLong({ short, seed }) : await simulate(await hostsOfPart(), { days, seed }),
)
