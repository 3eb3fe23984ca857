import { isInstalled } from './installed.ts'
import { type RunningProxy, startProxy } from './startProxy.ts'

/**
 * Starts nginx in front of servers: kept connections to each, else the stock configuration.
 * Installs it from apt if it is missing and this is root.
 * @returns undefined if there is no nginx
 */
export async function startNginx(
  upstreams: readonly string[],
  isPinned = false,
): Promise<RunningProxy | undefined> {
  if (!isInstalled('nginx', 'nginx-light')) return undefined
  const command = (folder: string, config: string) =>
    ['nginx', '-p', folder, '-c', config, '-e', `${folder}/error.log`, '-g', 'daemon off;'] as const
  return startProxy({ configure, command }, upstreams, isPinned)
}

function configure(folder: string, upstreams: readonly string[], ports: readonly number[]): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `  ${kind}_temp_path ${folder}/${kind};`)
    .join('\n')
  const servers = upstreams
    .map(
      (origin, index) => `
  upstream server${index} {
    server ${new URL(origin).host};
    keepalive 64;
  }
  server {
    listen 127.0.0.1:${ports[index]};
    # The load client does not reopen connections.
    keepalive_requests 100000000;
    location / {
      proxy_pass http://server${index};
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }`,
    )
    .join('\n')
  return `pid ${folder}/nginx.pid;
worker_processes 1;
events {
  worker_connections 768;
}
http {
  access_log ${folder}/access.log;
${temporary}${servers}
}
`
}
