// What simulators/testcontainers.ts uses of the package testcontainers, which the projects that test with containers install.
// test/e2e/simulators-package.test.ts compiles the built package against the real declarations.
declare module 'testcontainers' {
  import type { Readable } from 'node:stream';

  export interface StartedTestContainer extends AsyncDisposable {
    getHost(): string;
    getMappedPort(port: number): number;
    logs(): Promise<Readable>;
  }

  export class AbstractStartedContainer implements StartedTestContainer {
    constructor(started: StartedTestContainer);
    getHost(): string;
    getMappedPort(port: number): number;
    logs(): Promise<Readable>;
    [Symbol.asyncDispose](): Promise<void>;
  }

  export interface WaitStrategy {
    waitUntilReady(...details: never[]): Promise<void>;
  }

  export interface ImagePullPolicy {
    shouldPull(): boolean | 'never';
  }

  export class GenericContainer {
    constructor(image: string);
    start(): Promise<StartedTestContainer>;
    withCommand(command: string[]): this;
    withEnvironment(environment: Record<string, string>): this;
    withExposedPorts(...ports: number[]): this;
    withWaitStrategy(strategy: WaitStrategy): this;
    withPullPolicy(policy: ImagePullPolicy): this;
  }

  export const Wait: { forLogMessage(message: RegExp): WaitStrategy };
  export const PullPolicy: { neverPull(): ImagePullPolicy };
}
