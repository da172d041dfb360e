package holdfast.interop;

import java.util.Arrays;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

/** One thread per named task, which stays the task's own: what locked there can unlock and nest there. */
final class Tasks {
  private static final Set<String> WAITS =
      Set.of(Semaphore.class.getName(), "org.redisson.misc.ReclosableLatch");

  private final Map<String, ExecutorService> executors = new ConcurrentHashMap<>();
  private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();

  void run(String task, Runnable call) {
    executors.computeIfAbsent(task, this::newExecutor).execute(call);
  }

  /** How many tasks wait for news of a release. Redisson has its waiters wait for a semaphore, or for a gate. */
  long waiting() {
    return threads.stream().filter(Tasks::isWaiting).count();
  }

  private ExecutorService newExecutor(String task) {
    return Executors.newSingleThreadExecutor(
        call -> {
          Thread thread = new Thread(call, task);
          thread.setDaemon(true);
          threads.add(thread);
          return thread;
        });
  }

  private static boolean isWaiting(Thread thread) {
    return Arrays.stream(thread.getStackTrace()).anyMatch(frame -> WAITS.contains(frame.getClassName()));
  }
}
