package holdfast.interop;

final class Clock {
  private Clock() {}

  /** Milliseconds on the machine's monotonic clock: on Linux the one that Node's process.hrtime reads. */
  static double nowMs() {
    return System.nanoTime() / 1e6;
  }
}
