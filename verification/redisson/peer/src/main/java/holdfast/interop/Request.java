package holdfast.interop;

import java.util.List;

/**
 * One line of input. Which fields matter depends on {@code op}; what is absent is null.
 *
 * @param task whose thread runs the call: a lock of Redisson belongs to a thread
 * @param object which of Redisson's objects; absent: a lock
 * @param lock the name of the object
 * @param permits how many, of a semaphore; of a latch the count
 * @param locks the members of a multi lock
 * @param writeEvery one in so many cycles writes
 * @param waitMs how long tryLock waits; absent: one attempt
 * @param leaseMs absent: the watchdog renews
 * @param roomy with as many threads and connections as Redisson takes by itself
 * @param fair with Redisson's fair lock
 * @param fromMs an instant of {@link Clock}, as {@code untilMs} is
 */
record Request(
    long id,
    String op,
    String mode,
    List<String> addresses,
    Long watchdogTimeoutMs,
    boolean roomy,
    String task,
    String object,
    String lock,
    Integer permits,
    List<String> locks,
    Integer writeEvery,
    boolean fenced,
    boolean fair,
    Long waitMs,
    Long leaseMs,
    Integer tasks,
    Long limit,
    Double fromMs,
    Double untilMs,
    CriticalSection section) {}
