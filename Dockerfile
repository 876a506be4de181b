# One image for the app, the Spark master and the Spark workers: a worker runs the same Python as the driver.

FROM node:20-slim AS browser
WORKDIR /libraries
COPY package.json ./
RUN npm install --no-package-lock --ignore-scripts --no-audit --no-fund

FROM python:3.11-slim-bookworm
RUN apt-get update \
    && apt-get install -y --no-install-recommends openjdk-17-jre-headless procps \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /smartcis
COPY pyproject.toml constraints.txt README.md ./
# Empty packages stand in for ours, so that a change of code leaves the layer of the dependencies alone.
RUN for package in app engine federated ingest; do mkdir $package && touch $package/__init__.py; done \
    && pip install --no-cache-dir -c constraints.txt -e .

COPY . .
COPY --from=browser /libraries/node_modules node_modules
RUN python -m scripts.browser_libraries --copy && rm -rf node_modules

RUN useradd --create-home --uid 1000 smartcis \
    && install -d -o smartcis /var/lib/smartcis
USER smartcis
ENV SMARTCIS_STATE=/var/lib/smartcis
VOLUME /var/lib/smartcis
EXPOSE 8000
CMD ["smartcis", "run"]
