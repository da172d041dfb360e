package holdfast.interop;

import java.util.List;

/**
 * One line of input. Which fields matter depends on {@code op}; what is absent is null.
 *
 * @param task whose thread runs the call: a lock of Redisson belongs to a thread
 * @param waitMs how long tryLock waits; absent: one attempt
 * @param leaseMs absent: the watchdog renews
 */
record Request(
    long id,
    String op,
    String mode,
    List<String> addresses,
    Long watchdogTimeoutMs,
    String task,
    String lock,
    boolean fenced,
    Long waitMs,
    Long leaseMs,
    Integer tasks,
    Long limit,
    CriticalSection section) {}
