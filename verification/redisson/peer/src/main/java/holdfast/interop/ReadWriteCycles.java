package holdfast.interop;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.redisson.api.RLock;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/**
 * Threads that go through both sides of one read/write lock again and again, until all clients together have made {@code
 * limit} cycles. One cycle in {@code writeEvery} writes, and every second of those also reads and downgrades.
 */
final class ReadWriteCycles {
  private final RedissonClient client;
  private final Request order;
  private final AtomicInteger begun = new AtomicInteger();
  private final ConcurrentLinkedQueue<Map<String, Object>> made = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();

  ReadWriteCycles(RedissonClient client, Request order) {
    this.client = client;
    this.order = order;
  }

  Map<String, Object> run() throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int n = 0; n < order.tasks(); n++) threads.add(new Thread(this::work, "read-write-" + n));
    for (Thread thread : threads) thread.start();
    for (Thread thread : threads) thread.join();
    if (!failures.isEmpty()) throw new IllegalStateException(failures.peek());
    return Map.of("cycles", List.copyOf(made));
  }

  private void work() {
    try {
      while (failures.isEmpty() && cycle(begun.getAndIncrement())) {}
    } catch (Throwable failure) {
      failures.add(failure);
    }
  }

  private boolean cycle(int n) {
    RReadWriteLock lock = client.getReadWriteLock(order.lock());
    boolean writes = n % order.writeEvery() == 0;
    boolean downgrades = writes && n / order.writeEvery() % 2 == 1;
    RLock side = writes ? lock.writeLock() : lock.readLock();
    double askedAtMs = Clock.nowMs();
    side.lock();
    double enteredAtMs = Clock.nowMs();
    String[] seen = eval(order.section().enter(), writes ? "write" : "read").split(" ");
    if (downgrades) {
      lock.readLock().lock();
      eval(order.section().leave(), "write", "read");
      lock.writeLock().unlock();
    }
    eval(order.section().leave(), writes && !downgrades ? "write" : "read", "");
    double leftAtMs = Clock.nowMs();
    (downgrades ? lock.readLock() : side).unlock();
    made.add(
        Map.of(
            "side", writes ? "write" : "read",
            "askedAtMs", askedAtMs,
            "enteredAtMs", enteredAtMs,
            "leftAtMs", leftAtMs,
            "strangers", Long.parseLong(seen[0]),
            "ttlMs", Long.parseLong(seen[2])));
    return Long.parseLong(seen[1]) < order.limit();
  }

  private String eval(String script, Object... values) {
    RScript scripts = client.getScript(StringCodec.INSTANCE);
    return scripts.eval(
        RScript.Mode.READ_WRITE, script, RScript.ReturnType.VALUE, order.section().keys(), values);
  }
}
