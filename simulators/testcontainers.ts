// Routers in containers: `import { RouterContainer } from 'gatehouse-simulators/testcontainers'`.
import {
  AbstractStartedContainer,
  GenericContainer,
  PullPolicy,
  type StartedTestContainer,
  Wait,
} from 'testcontainers';
import { messageOf } from '#kernel/errors.ts';
import {
  type ContainerDescription,
  describeContainer,
  type RouterContainerOptions,
  type RouterLogin,
  readRouterLogin,
  startLinePattern,
} from './router/container.ts';
import type { RouterKind } from './router/model.ts';

export type { RouterContainerOptions, RouterLogin } from './router/container.ts';
export type { RouterKind } from './router/model.ts';

type Ports = ContainerDescription['ports'];

/**
 * A router over SSH in a container, as `gatehouse-simulators KIND` runs it. Throws for an unknown dialect and for numbers out of
 * their range. `start` rejects without a container engine, and without the image.
 */
export class RouterContainer extends GenericContainer {
  readonly #ports: Ports;

  constructor(kind: RouterKind, options: RouterContainerOptions = {}) {
    const { image, command, environment, ports } = describeContainer(kind, options);
    super(image);
    this.#ports = ports;
    this.withCommand(command)
      .withEnvironment(environment)
      .withExposedPorts(ports.ssh, ports.control)
      .withWaitStrategy(Wait.forLogMessage(startLinePattern));
    if (options.image === undefined) {
      this.withPullPolicy(PullPolicy.neverPull());
    }
  }

  override async start(): Promise<StartedRouterContainer> {
    const started = await super.start().catch((cause: unknown) => {
      const hint = 'if the image is missing, build it with the Containerfile of the package gatehouse-simulators';
      throw new Error(`the container of the router did not start: ${messageOf(cause)} (${hint})`, { cause });
    });
    return new StartedRouterContainer(started, this.#ports, await readRouterLogin(await started.logs()));
  }
}

/** A router that listens. `await using` stops it. */
export class StartedRouterContainer extends AbstractStartedContainer {
  readonly credentials: RouterLogin;
  readonly #ports: Ports;

  constructor(started: StartedTestContainer, ports: Ports, credentials: RouterLogin) {
    super(started);
    this.#ports = ports;
    this.credentials = credentials;
  }

  /** Where the router listens, like `ssh://localhost:32768`. A restart of the container changes the port. */
  get url(): URL {
    return new URL(`ssh://${this.getHost()}:${this.getMappedPort(this.#ports.ssh)}`);
  }

  /** Address of the control API, like `http://localhost:32769`. */
  get controlUrl(): URL {
    return new URL(`http://${this.getHost()}:${this.getMappedPort(this.#ports.control)}`);
  }
}
