package holdfast.interop;

import com.google.gson.Gson;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.redisson.api.RedissonClient;

/**
 * A Redisson client that is driven by a test: one JSON object per line in, one per line out.
 *
 * <p>{@code {"id": 7, "op": "lock", …}} is answered by {@code {"id": 7, "ok": true, …}} or {@code {"id": 7, "ok":
 * false, "error": <class>, "message": …}}. Calls of one task are made one after another, on the task's own thread.
 */
public final class Peer {
  private interface Call {
    Map<String, Object> make() throws Exception;
  }

  private static final int KILLED = 137;

  private final Gson gson = new Gson();
  private final PrintStream out = System.out;
  private final Tasks tasks = new Tasks();
  private List<RedissonClient> clients;
  /** The first one, which all but red locks use. */
  private RedissonClient client;

  private Locks objects;
  private LockCalls locks;
  private SemaphoreCalls semaphores;
  private PermitCalls permits;
  private LatchCalls latches;

  public static void main(String[] args) throws IOException {
    new Peer().serve();
    // The input ended: the process that drove this one is gone, and nothing is left to release for.
    Runtime.getRuntime().halt(0);
  }

  private void serve() throws IOException {
    // Whatever a library prints must not get between the answers.
    System.setOut(System.err);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      Request request = gson.fromJson(line, Request.class);
      if (request.op().equals("die")) Runtime.getRuntime().halt(KILLED);
      if (request.task() == null) answer(request, () -> callOfClient(request));
      else tasks.run(request.task(), () -> answer(request, () -> callOfTask(request)));
    }
  }

  private Map<String, Object> callOfClient(Request request) {
    switch (request.op()) {
      case "open" -> {
        clients = Clients.openAll(request);
        client = clients.get(0);
        objects = new Locks(clients);
        locks = new LockCalls(client, objects);
        semaphores = new SemaphoreCalls(client);
        permits = new PermitCalls(client);
        latches = new LatchCalls(client);
        return Map.of("clientId", client.getId());
      }
      case "waiting" -> {
        return Map.of("waiting", tasks.waiting());
      }
      case "close" -> {
        clients.forEach(RedissonClient::shutdown);
        return Map.of();
      }
      default -> throw unknown(request);
    }
  }

  private Map<String, Object> callOfTask(Request request) throws Exception {
    String object = request.object() == null ? "" : request.object();
    return switch (object) {
      case "RSemaphore" -> semaphores.call(request);
      case "RPermitExpirableSemaphore" -> permits.call(request);
      case "RCountDownLatch" -> latches.call(request);
      default -> callOfLock(request);
    };
  }

  private Map<String, Object> callOfLock(Request request) throws Exception {
    return switch (request.op()) {
      case "lock" -> locks.lock(request);
      case "tryLock" -> locks.tryLock(request);
      case "unlock" -> locks.unlock(request);
      case "forceUnlock" -> locks.forceUnlock(request);
      case "look" -> locks.look(request);
      case "cycles" -> new Cycles(client, objects, request).run();
      case "readWriteCycles" -> new ReadWriteCycles(client, request).run();
      case "contest" -> new Contest(client, request).run();
      default -> throw unknown(request);
    };
  }

  private void answer(Request request, Call call) {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("id", request.id());
    try {
      Map<String, Object> result = call.make();
      answer.put("ok", true);
      answer.put("atMs", Clock.nowMs());
      answer.putAll(result);
    } catch (Throwable failure) {
      answer.put("ok", false);
      answer.put("error", failure.getClass().getSimpleName());
      answer.put("message", String.valueOf(failure.getMessage()));
    }
    synchronized (out) {
      out.println(gson.toJson(answer));
      out.flush();
    }
  }

  static IllegalArgumentException unknown(Request request) {
    return new IllegalArgumentException("no op " + request.op());
  }
}
