# Fixpoint's server with its default sandbox, bubblewrap.
#
#   docker build -t fixpoint .
#   docker run -v fixpoint:/data -p 8080:8080 --env-file .env \
#     --security-opt seccomp=unconfined --security-opt apparmor=unconfined \
#     --security-opt systempaths=unconfined fixpoint
#
# The three options let a plain user inside make namespaces (seccomp, and apparmor where the host
# has it) and mount a /proc of its own in them (systempaths). With FIXPOINT_SANDBOX=e2b none of them
# is needed. docs/security.md says what they cost.
FROM python:3.11-slim-bookworm

RUN apt-get update \
    && apt-get install -y --no-install-recommends bubblewrap git \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 10001 fixpoint \
    && install -d -o fixpoint /data

WORKDIR /app
COPY requirements.lock pyproject.toml README.md LICENSE ./
RUN pip install --no-cache-dir --require-hashes -r requirements.lock
COPY bot ./bot
COPY sandbox ./sandbox
COPY prompts ./prompts
RUN pip install --no-cache-dir --no-deps .

USER fixpoint
ENV FIXPOINT_DATA=/data PORT=8080
VOLUME /data
EXPOSE 8080
HEALTHCHECK CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8080/healthz', timeout=3)"]
CMD ["fixpoint", "serve"]
