# Example: one image for every role. `docker run … --role api|worker|all`.
FROM node:20-slim@sha256:2cf067cfed83d5ea958367df9f966191a942351a2df77d6f0193e162b5febfc0 AS build
WORKDIR /app
RUN npm install --global pnpm@10.34.9
COPY . .
RUN pnpm install --frozen-lockfile && npm run build \
  && pnpm --filter @touchstone402/server --prod deploy --legacy /service

FROM node:20-slim@sha256:2cf067cfed83d5ea958367df9f966191a942351a2df77d6f0193e162b5febfc0
WORKDIR /service
COPY --from=build /service .
ENV HOST=0.0.0.0 DATA_DIR=/data
RUN mkdir /data /keys && chown node:node /data /keys
USER node
VOLUME /data
EXPOSE 8402
# For the roles that answer requests; turn it off for workers. The image holds no curl.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT ?? 8402}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "bin/touchstone-server.js"]
