# Example: one image for every role. `docker run … --role api|worker|all`.
FROM node:24-slim@sha256:a9f5f7c91a432850b2a8a7797adf5eadb6c733ceed61167806cee7ea7fbc29df AS build
WORKDIR /app
# The digest decides, whatever the tag beside it says.
RUN ["node", "-e", "if (!process.version.startsWith('v24.')) throw new Error(`the base is Node ${process.version}`)"]
RUN npm install --global pnpm@10.34.9
COPY . .
RUN pnpm install --frozen-lockfile && npm run build \
  && pnpm --filter @touchstone402/server --prod deploy --legacy /service \
  && node scripts/pack/pruneInstall.mjs /service

FROM node:24-slim@sha256:a9f5f7c91a432850b2a8a7797adf5eadb6c733ceed61167806cee7ea7fbc29df
WORKDIR /service
COPY --from=build /service .
ENV HOST=0.0.0.0 DATA_DIR=/data
RUN mkdir /data /keys && chown node:node /data /keys
USER node
VOLUME /data
EXPOSE 8402
# For the roles that answer requests; turn it off for workers. The image holds no curl.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT ?? 8402}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Node 24 would fill four times as much memory with young objects.
ENTRYPOINT ["node", "--max-semi-space-size=16", "bin/touchstone-server.js"]
