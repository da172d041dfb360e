package holdfast.interop;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** Threads that go through one lock again and again from one instant of {@link Clock} to another, with nothing inside. */
final class Contest {
  private final RedissonClient client;
  private final Request order;
  private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();

  Contest(RedissonClient client, Request order) {
    this.client = client;
    this.order = order;
  }

  /** Per entry: the number of the thread, when it asked, when it was in. */
  Map<String, Object> run() throws InterruptedException {
    List<double[]> entries = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int n = 0; n < order.tasks(); n++) {
      int waiter = n;
      threads.add(new Thread(() -> work(waiter, entries), "contest-" + n));
    }
    for (Thread thread : threads) thread.start();
    for (Thread thread : threads) thread.join();
    if (!failures.isEmpty()) throw new IllegalStateException(failures.peek());
    return Map.of("entries", entries);
  }

  private void work(int waiter, List<double[]> entries) {
    List<double[]> own = new ArrayList<>();
    try {
      RLock lock = order.fair() ? client.getFairLock(order.lock()) : client.getLock(order.lock());
      Thread.sleep(Math.max(0, Math.round(order.fromMs() - Clock.nowMs())));
      while (failures.isEmpty()) {
        double askedAtMs = Clock.nowMs();
        if (askedAtMs >= order.untilMs()) break;
        lock.lock();
        own.add(new double[] {waiter, askedAtMs, Clock.nowMs()});
        lock.unlock();
      }
    } catch (Throwable failure) {
      failures.add(failure);
    }
    synchronized (entries) {
      entries.addAll(own);
    }
  }
}
