(** * Map.v -- maps with positive numbers as keys, and tables with any keys

    What this file provides, in plain words.  [trie A] is a binary trie: the bits
    of a key, the lowest first, say where to go.  [table K V] is a trie of
    buckets, by a hash of the key; nothing is assumed about the hash, because
    keys in a bucket are compared.  What is known of all entries of a table
    holds of the ones that are found ([find_entry]). *)

From Coq Require Import PArith NArith List.
Import ListNotations.

Inductive trie (A : Type) : Type := Empty | Fork (l : trie A) (o : option A) (r : trie A).
Arguments Empty {A}.
Arguments Fork {A}.

(** Tests instead of a match on the key: these are what is extracted to
    operations on machine integers. *)
Definition is_one (k : positive) : bool := match k with xH => true | _ => false end.
Definition is_even (k : positive) : bool := match k with xO _ => true | _ => false end.
Definition half (k : positive) : positive := match k with xO k | xI k => k | xH => xH end.

Fixpoint find {A} (k : positive) (m : trie A) {struct m} : option A :=
  match m with
  | Empty => None
  | Fork l o r => if is_one k then o else if is_even k then find (half k) l else find (half k) r
  end.

Fixpoint singleton {A} (k : positive) (a : A) : trie A :=
  match k with
  | xH => Fork Empty (Some a) Empty
  | xO k => Fork (singleton k a) None Empty
  | xI k => Fork Empty None (singleton k a)
  end.

Fixpoint set {A} (k : positive) (a : A) (m : trie A) {struct m} : trie A :=
  match m with
  | Empty => singleton k a
  | Fork l o r =>
      if is_one k then Fork l (Some a) r
      else if is_even k then Fork (set (half k) a l) o r else Fork l o (set (half k) a r)
  end.

Lemma find_singleton A k (a : A) : find k (singleton k a) = Some a.
Proof. induction k; simpl; auto. Qed.

Lemma find_singleton_other A k j (a : A) : k <> j -> find k (singleton j a) = None.
Proof. revert k; induction j; intros [k | k |] H; simpl; auto; try apply IHj; congruence. Qed.

Lemma find_set A k (a : A) : forall m, find k (set k a m) = Some a.
Proof. induction k; intros [| l o r]; simpl; auto using find_singleton. Qed.

Lemma find_set_other A j (a : A) : forall k m, k <> j -> find k (set j a m) = find k m.
Proof.
  induction j; intros [k | k |] [| l o r] H; simpl; auto;
    try (apply IHj; congruence); try (apply find_singleton_other; congruence); congruence.
Qed.

(** What is found after a change is the new entry or an old one. *)
Lemma find_set_cases A j (a : A) k m b :
  find k (set j a m) = Some b -> (k = j /\ b = a) \/ (k <> j /\ find k m = Some b).
Proof.
  destruct (Pos.eq_dec k j) as [-> | H].
  - rewrite find_set. intros [= ->]. now left.
  - rewrite find_set_other by trivial. now right.
Qed.

(** ** Tables *)

Section Table.
  Context {K V : Type} (same : K -> K -> bool) (hash : K -> positive).

  Definition table : Type := trie (list (K * V)).

  Fixpoint find_in (k : K) (bucket : list (K * V)) : option V :=
    match bucket with
    | [] => None
    | (k', v) :: rest => if same k' k then Some v else find_in k rest
    end.

  Definition bucket_of (h : positive) (m : table) : list (K * V) :=
    match find h m with Some b => b | None => [] end.

  Definition find_entry (k : K) (m : table) : option V := find_in k (bucket_of (hash k) m).

  Definition add_entry (k : K) (v : V) (m : table) : table :=
    let h := hash k in set h ((k, v) :: bucket_of h m) m.

  (** All entries have a property. *)
  Definition each (P : K -> V -> Prop) (m : table) : Prop :=
    forall h, Forall (fun kv => P (fst kv) (snd kv)) (bucket_of h m).

  Lemma each_empty P : each P Empty.
  Proof. intros h. constructor. Qed.

  Lemma each_add P k v m : each P m -> P k v -> each P (add_entry k v m).
  Proof.
    intros Hm Hv h. unfold add_entry, bucket_of at 1.
    destruct (Pos.eq_dec h (hash k)) as [-> | H].
    - rewrite find_set. constructor; [exact Hv | apply Hm].
    - rewrite find_set_other by trivial. apply Hm.
  Qed.

  Lemma each_weaken (P Q : K -> V -> Prop) m : (forall k v, P k v -> Q k v) -> each P m -> each Q m.
  Proof. intros H Hm h. eapply Forall_impl; [| apply Hm]. intros [k v]. apply H. Qed.

  (** Entries that were there before are still there. *)
  Lemma each_add_inv P k v m : each P (add_entry k v m) -> each P m /\ P k v.
  Proof.
    intros H.
    assert (Hb : Forall (fun kv => P (fst kv) (snd kv)) ((k, v) :: bucket_of (hash k) m)).
    { specialize (H (hash k)). unfold add_entry, bucket_of at 1 in H. now rewrite find_set in H. }
    inversion_clear Hb as [| ? ? Hv Hrest]. split; [| exact Hv].
    intros h. destruct (Pos.eq_dec h (hash k)) as [-> | Hh]; [exact Hrest |].
    specialize (H h). unfold add_entry, bucket_of at 1 in H. now rewrite find_set_other in H.
  Qed.

  Hypothesis same_sound : forall j k, same j k = true -> j = k.

  Lemma each_find P k v m : each P m -> find_entry k m = Some v -> P k v.
  Proof.
    intros Hm. unfold find_entry. specialize (Hm (hash k)).
    induction Hm as [| [k' v'] b H _ IH]; simpl; [discriminate |].
    destruct (same k' k) eqn:E; [| exact IH].
    intros [= <-]. apply same_sound in E. now subst.
  Qed.
End Table.

Arguments table : clear implicits.
