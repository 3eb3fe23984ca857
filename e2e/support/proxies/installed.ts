import { execFileSync, spawnSync } from 'node:child_process'

/** Returns whether a program is there, after installing it from apt if it is missing and this is root. */
export function isInstalled(command: string, aptPackage = command): boolean {
  return answers(command) || (process.getuid?.() === 0 && install(aptPackage) && answers(command))
}

function answers(command: string): boolean {
  // Some refuse the option, as promtool does.
  return spawnSync(command, ['-v'], { stdio: 'ignore' }).error === undefined
}

function install(aptPackage: string): boolean {
  try {
    for (const args of [['update'], ['install', '-y', '--no-install-recommends', aptPackage]]) {
      execFileSync('apt-get', args, {
        stdio: 'ignore',
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      })
    }
    return true
  } catch {
    return false
  }
}
