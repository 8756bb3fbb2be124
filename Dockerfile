# One image for the service and the dashboard: `serve` is what it does by itself, `dashboard` is the other command.
# compose.yaml starts both; docs/how-to/run-in-a-container.md says how.

FROM python:3.11-slim AS build
WORKDIR /src
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY sdk sdk
COPY service service
COPY analytics analytics
COPY dashboard dashboard
RUN python -m venv /opt/assent
RUN /opt/assent/bin/python -m pip install --no-cache-dir --disable-pip-version-check --constraint constraints.txt '.[server,postgresql,notices]'
# Nothing is installed into a running container.
RUN /opt/assent/bin/python -m pip uninstall --yes --quiet setuptools pip

FROM python:3.11-slim
RUN groupadd --gid 10001 assent && useradd --uid 10001 --gid assent --no-create-home --home-dir /data --shell /usr/sbin/nologin assent
RUN install --directory --owner assent --group assent --mode 0700 /data
COPY --from=build /opt/assent /opt/assent
# The file system may be read-only: the data folder is the volume, and bytecode is in the image already.
ENV PATH=/opt/assent/bin:/usr/local/bin:/usr/bin:/bin
ENV PYTHONDONTWRITEBYTECODE=1
ENV PYTHONUNBUFFERED=1
ENV ASSENT_HOME=/data
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8484 8485
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["python", "-c", "from urllib.request import ProxyHandler, build_opener; build_opener(ProxyHandler({})).open('http://127.0.0.1:8484/ready', timeout=4)"]
ENTRYPOINT ["assent"]
# Within the container: which address of the machine leads here is said where it is run.
CMD ["serve", "--host", "0.0.0.0"]
