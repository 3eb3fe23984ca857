/** Where npm finds packages, and where it keeps them. */
export type NpmPlace = {
  /** URL of the registry of this machine. */
  readonly registry: string
  readonly cache: string
}

/** Returns the environment of npm for the registry of this machine. */
export const npmSettings = ({ registry, cache }: NpmPlace) => ({
  // The answer to npx, which asks whether to install.
  npm_config_yes: 'true',
  npm_config_registry: registry,
  npm_config_cache: cache,
  npm_config_ignore_scripts: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
})
