FROM node:24.21.0-slim

WORKDIR /app
ENV NODE_ENV=production MALLOC_ARENA_MAX=2 MALLOC_TRIM_THRESHOLD_=131072

# Without the development dependencies: the pinned Node among them, since the image is one.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev && npm cache clean --force

COPY . .
ARG COMMIT=""
RUN printf '{"commit":"%s","built":"%s"}\n' "$COMMIT" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" > build.json \
 && mkdir -m 0700 /data && chown node:node /data

ENV LOAM_ADDR=0.0.0.0:8420 LOAM_DATA_DIR=/data
USER node
VOLUME /data
EXPOSE 8420
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=15m --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8420/healthz?ready=1').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]

ENTRYPOINT ["node", "--max-semi-space-size=16", "bin/loam.mjs"]
CMD ["serve"]
