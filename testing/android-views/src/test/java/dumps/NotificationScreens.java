package dumps;

import android.app.Notification;
import android.app.NotificationChannel;
import android.app.NotificationManager;
import android.app.PendingIntent;
import android.app.Person;
import android.content.Intent;
import android.graphics.drawable.Icon;
import android.view.View;
import android.widget.FrameLayout;
import android.widget.LinearLayout;
import android.widget.RemoteViews;
import android.widget.TextView;
import org.junit.Test;
import org.robolectric.annotation.Config;

/** The framework's templates of notifications, one below another as in the shade; the shade itself is no part of the framework. */
public class NotificationScreens extends Screens {
  private LinearLayout shade;

  private void openShade() {
    open();
    NotificationManager manager = activity.getSystemService(NotificationManager.class);
    manager.createNotificationChannel(new NotificationChannel("all", "All", NotificationManager.IMPORTANCE_DEFAULT));
    shade = make.column();
  }

  private Notification.Builder notification(String title, String text) {
    return new Notification.Builder(activity, "all")
        .setSmallIcon(android.R.drawable.stat_notify_chat)
        .setContentTitle(title)
        .setContentText(text)
        .setShowWhen(false)
        .setContentIntent(intent());
  }

  private PendingIntent intent() {
    return PendingIntent.getActivity(activity, 0, new Intent("none"), PendingIntent.FLAG_IMMUTABLE);
  }

  private Notification.Action action(String words) {
    return new Notification.Action.Builder(Icon.createWithResource("android", android.R.drawable.ic_menu_send), words, intent()).build();
  }

  private void add(RemoteViews template) {
    FrameLayout row = new FrameLayout(activity);
    row.addView(template.apply(activity, row));
    row.setOnClickListener(pressed -> {});
    row.setOnLongClickListener(pressed -> true);
    make.named(row, "expandableNotificationRow");
    shade.addView(row);
  }

  private void showShade() {
    TextView manage = make.button("Manage");
    TextView clear = make.button("Clear all");
    shade.addView(make.row(make.sized(manage, 0, Make.WRAP, 1), make.sized(clear, 0, Make.WRAP, 1)));
    show(make.scroll(shade));
  }

  @Test
  @Config(sdk = 28)
  public void notificationsPlain() throws Exception {
    openShade();
    add(notification("USB debugging connected", "Tap to turn off USB debugging").createContentView());
    add(notification("Download complete", "report.pdf").setSubText("Files").setOngoing(true).createContentView());
    add(notification("Updating apps", "2 of 7").setProgress(7, 2, false).createContentView());
    showShade();
    save("com.android.systemui");
  }

  @Test
  @Config(sdk = 33)
  public void notificationsExpanded() throws Exception {
    openShade();
    add(
        notification("Backup finished", "Tap for details")
            .setStyle(new Notification.BigTextStyle().bigText("1,204 photos and 33 videos were backed up over Wi-Fi. The next backup starts tonight."))
            .addAction(action("View"))
            .addAction(action("Settings"))
            .createBigContentView());
    add(
        notification("3 new messages", "ada@example.com")
            .setStyle(new Notification.InboxStyle().addLine("Ada: Lunch?").addLine("Grace: The build is green").addLine("Alan: <no subject>"))
            .addAction(action("Archive all"))
            .createBigContentView());
    showShade();
    save("com.android.systemui");
  }

  @Test
  @Config(sdk = 30)
  public void notificationsConversation() throws Exception {
    openShade();
    Person me = new Person.Builder().setName("You").build();
    Person ada = new Person.Builder().setName("Ada").build();
    add(
        notification("Ada", "See you there")
            .setStyle(
                new Notification.MessagingStyle(me)
                    .setConversationTitle("Climbing")
                    .setGroupConversation(true)
                    .addMessage("At six?", 1_000, ada)
                    .addMessage("Make it seven 🧗", 2_000, (Person) null)
                    .addMessage("See you there", 3_000, ada))
            .addAction(action("Reply"))
            .addAction(action("Mark as read"))
            .createBigContentView());
    showShade();
    save("com.android.systemui");
  }

  @Test
  @Config(sdk = 26)
  public void notificationsMedia() throws Exception {
    openShade();
    add(
        notification("Clair de lune", "Claude Debussy")
            .setStyle(new Notification.MediaStyle().setShowActionsInCompactView(0, 1, 2))
            .addAction(action("Previous"))
            .addAction(action("Pause"))
            .addAction(action("Next"))
            .createContentView());
    showShade();
    save("com.android.systemui");
  }
}
