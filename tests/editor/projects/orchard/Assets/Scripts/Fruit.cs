using UnityEngine;

public class Fruit : MonoBehaviour {}
