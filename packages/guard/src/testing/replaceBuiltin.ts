import { syncBuiltinESMExports } from 'node:module'
import { onTestFinished } from 'vitest'

/**
 * Replaces a function of a built-in module until the end of the test, also for files that have imported it already: the
 * files of a worker share their modules, so `vi.mock` would not reach them.
 */
export function replaceBuiltin<Module extends object, Name extends keyof Module>(
  module: Module,
  name: Name,
  replace: (original: Module[Name]) => unknown,
): void {
  const original = module[name]
  const set = (value: unknown) => {
    module[name] = value as Module[Name]
    syncBuiltinESMExports()
  }
  set(replace(original))
  onTestFinished(() => set(original))
}
