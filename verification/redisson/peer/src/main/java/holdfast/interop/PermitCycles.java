package holdfast.interop;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.redisson.api.RedissonClient;

/** Threads that take permits and give them back again and again, until all clients together have made {@code limit} cycles. */
final class PermitCycles {
  interface Entrance {
    /** Takes permits; what it returns gives them back. */
    Runnable enter(Request order) throws InterruptedException;
  }

  /** Instants of {@link Clock}; {@code inside}: how many permits were in use, those of this cycle included. */
  private record Cycle(double askedAtMs, double enteredAtMs, long inside) {}

  private final RedissonClient client;
  private final Request order;
  private final Entrance entrance;
  private final ConcurrentLinkedQueue<Cycle> made = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();

  PermitCycles(RedissonClient client, Request order, Entrance entrance) {
    this.client = client;
    this.order = order;
    this.entrance = entrance;
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

  private boolean cycle() throws InterruptedException {
    double askedAtMs = Clock.nowMs();
    Runnable leave = entrance.enter(order);
    double enteredAtMs = Clock.nowMs();
    CriticalSection.Seen seen = order.section().enter(client, Integer.toString(order.permits()));
    made.add(new Cycle(askedAtMs, enteredAtMs, seen.inside()));
    order.section().leave(client, order.permits());
    leave.run();
    return seen.made() < order.limit();
  }
}
