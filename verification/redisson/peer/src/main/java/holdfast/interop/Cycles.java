package holdfast.interop;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** Threads that go through one lock again and again, until all clients together have made {@code limit} cycles. */
final class Cycles {
  /** Instants of {@link Clock}; {@code inside}: how many were in the critical section, this one included. */
  private record Cycle(
      String owner,
      double askedAtMs,
      double enteredAtMs,
      double leftAtMs,
      double releasedAtMs,
      long inside,
      long ttlMs,
      Long token) {}

  private final RedissonClient client;
  private final Locks locks;
  private final Request order;
  private final ConcurrentLinkedQueue<Cycle> made = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();

  Cycles(RedissonClient client, Locks locks, Request order) {
    this.client = client;
    this.locks = locks;
    this.order = order;
  }

  Map<String, Object> run() throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int n = 0; n < order.tasks(); n++) threads.add(new Thread(this::work, "cycles-" + n));
    for (Thread thread : threads) thread.start();
    for (Thread thread : threads) thread.join();
    if (!failures.isEmpty()) throw new IllegalStateException(failures.peek());
    return Map.of("cycles", List.copyOf(made));
  }

  private void work() {
    try {
      while (failures.isEmpty() && cycle()) {}
    } catch (Throwable failure) {
      failures.add(failure);
    }
  }

  private boolean cycle() {
    RLock lock = locks.of(order);
    double askedAtMs = Clock.nowMs();
    Long token = null;
    if (order.fenced()) token = client.getFencedLock(order.lock()).lockAndGetToken();
    else lock.lock();
    double enteredAtMs = Clock.nowMs();
    CriticalSection.Seen seen = order.section().enter(client);
    boolean isOver = seen.made() >= order.limit();
    order.section().leave(client, isOver ? seen.made() : seen.made() + 1);
    double leftAtMs = Clock.nowMs();
    lock.unlock();
    double releasedAtMs = Clock.nowMs();
    if (isOver) return false;
    made.add(
        new Cycle(
            LockCalls.owner(client),
            askedAtMs,
            enteredAtMs,
            leftAtMs,
            releasedAtMs,
            seen.inside(),
            seen.ttlMs(),
            token));
    return true;
  }
}
